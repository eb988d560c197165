"""The catalogue of actions, one file per noun. Importing this package declares every action in it."""

from importlib import import_module
from pkgutil import iter_modules

# A fixed order, so that tools, docs and help list the catalogue in the same way.
_FIRST = (
    "navigation",
    "snapshot",
    "pointer",
    "forms",
    "keyboard",
    "wait",
    "screenshot",
    "extract",
    "script",
    "tabs",
)

_modules = {
    module.name: f"{__name__}.{package.name}.{module.name}"
    for package in iter_modules(__path__)
    for module in iter_modules([f"{__path__[0]}/{package.name}"])
}
for _name in sorted(_modules, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)):
    import_module(_modules[_name])
