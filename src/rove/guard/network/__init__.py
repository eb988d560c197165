"""Which hosts and addresses may be reached, and the filtering proxy that every request of the browser goes through."""
