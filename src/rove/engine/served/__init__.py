"""Sessions as a server of many clients uses them, whether they run in its own process or on the nodes of a cluster."""
