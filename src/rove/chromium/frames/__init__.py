"""The frames of a page: isolated worlds, running JavaScript, coordinates, nesting and event listeners."""
