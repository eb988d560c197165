"""Actions of a developer: console, network, workers."""
