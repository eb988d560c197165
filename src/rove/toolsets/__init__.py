"""Toolsets: which actions a model is shown, under which names, with which arguments and answers."""
