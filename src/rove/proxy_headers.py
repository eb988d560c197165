"""Headers that mark the answers of rove's own proxy. The proxy removes them from the answers of servers."""

PREFIX = "x-rove-"
# Why the guard refused a request.
REFUSED_HEADER = f"{PREFIX}refused"
# How the connection to the server failed.
FAILURE_HEADER = f"{PREFIX}failure"
