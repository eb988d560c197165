"""Headers by which the answers of rove's own proxy are known. It removes them from what servers answer."""

PREFIX = "x-rove-"
# Why the guard refused a request.
REFUSED_HEADER = f"{PREFIX}refused"
# How the connection to the server failed.
FAILURE_HEADER = f"{PREFIX}failure"
