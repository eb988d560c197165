"""A coroutine method for every action. `action_methods.pyi` declares them; `make docs` writes it."""

from __future__ import annotations

from rove.surfaces.library.method import add_methods, coroutine_method


class ActionMethods:
    """A method for every action. Each returns an Outcome or raises a RoveError."""


add_methods(ActionMethods, coroutine_method)
