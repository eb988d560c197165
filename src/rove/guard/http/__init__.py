"""Parses HTTP messages, strictly enough that no server reads them differently."""
