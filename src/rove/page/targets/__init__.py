"""What the targets of actions mean on a page: elements, points of the viewport, what has the focus."""
