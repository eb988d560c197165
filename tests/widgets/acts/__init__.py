"""The acts on each library's page."""

from dataclasses import replace

from tests.widgets.act import Library
from tests.widgets.acts import fields, grids, jquery, overlays, react_kits, react_widgets, selects, vue, web_components

_WITHOUT_SELECT = (
    *overlays.LIBRARIES,
    *fields.LIBRARIES,
    *grids.LIBRARIES,
    *react_kits.LIBRARIES,
    *react_widgets.LIBRARIES,
    *vue.LIBRARIES,
    *web_components.LIBRARIES,
    *jquery.LIBRARIES,
)


def _with_select(library: Library) -> Library:
    """Return the library with the acts that choose in it in one call, if it has something to choose from."""
    if library.name not in selects.IN_ONE_CALL:
        return library
    return replace(library, widgets=(*library.widgets, selects.IN_ONE_CALL[library.name]))


LIBRARIES: tuple[Library, ...] = (*map(_with_select, _WITHOUT_SELECT), *selects.LIBRARIES)
