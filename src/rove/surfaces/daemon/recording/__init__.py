"""`rove record`."""
