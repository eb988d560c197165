"""Driving a page through rove's scripts, on any engine: an engine gives it the primitives that are abstract here."""
