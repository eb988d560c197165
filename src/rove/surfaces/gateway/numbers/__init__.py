"""Numbers about the server and its nodes, for Prometheus."""
