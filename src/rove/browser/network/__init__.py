"""What every engine needs to tell of the network: URL schemes, error texts, masked headers."""
