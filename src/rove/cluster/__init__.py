"""More than one machine: browsers on the nodes of a Ray cluster, surfaces and schedulers in processes of their own."""
