"""More than one machine: sessions and pages on the nodes of a Ray cluster."""
