"""A blocking method for every action. `blocking_methods.pyi` declares them; `make docs` writes it."""

from __future__ import annotations

from rove.surfaces.library.method import add_methods, blocking_method


class BlockingMethods:
    """A method for every action, which waits for its outcome. Each returns an Outcome or raises a RoveError."""


add_methods(BlockingMethods, blocking_method)
