"""How well a replay finds the elements of a recording in a page that was redesigned."""
