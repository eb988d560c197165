"""What elements can be found by later."""
