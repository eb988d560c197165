"""Which hosts and addresses may be reached."""
