"""`rove map` on a cluster: pages are visited by browsers of the nodes."""
