"""Whether a cluster has what rove needs: `rove doctor --cluster`."""
