"""Frames of a page: their isolated worlds, coordinates and event listeners."""
