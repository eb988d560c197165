"""Pages as callers see them who are shown all of a page after each action."""
