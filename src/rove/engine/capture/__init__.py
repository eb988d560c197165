"""Videos of the tabs of a session, and its network traffic as HAR."""
