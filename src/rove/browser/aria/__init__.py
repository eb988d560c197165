"""Aria snapshots, as every engine takes them."""
