"""Requests that wait for rove before they are sent: rules, HTTP credentials, documents that are held."""
