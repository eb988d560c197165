"""Sessions of `rove serve` whose engine runs on a node: the node's side, the server's side, and what goes between."""
