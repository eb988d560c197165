"""Recordings of a session: its steps, videos of its tabs, and its network traffic as HAR."""
