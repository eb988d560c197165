"""rove as tools of agent frameworks."""
