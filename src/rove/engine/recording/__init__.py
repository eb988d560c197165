"""Recordings of a session: videos of its tabs, and its network traffic as HAR."""
