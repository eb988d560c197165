"""The catalogue of actions, one file for each subject. Importing this package declares every action in it."""

from importlib import import_module
from pkgutil import iter_modules

# A fixed order, so that tools, docs and help list the catalogue in the same way.
_FIRST = ("navigation", "snapshot", "input", "forms", "wait", "screenshot", "extract", "console", "sessions")

_names = [module.name for module in iter_modules(__path__)]
for _name in sorted(_names, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)):
    import_module(f"{__name__}.{_name}")
