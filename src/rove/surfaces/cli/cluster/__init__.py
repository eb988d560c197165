"""`rove cluster`, and what `rove doctor` says of a cluster."""
