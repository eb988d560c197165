"""The pointer where no element is named: points of the viewport, and the wheel."""
