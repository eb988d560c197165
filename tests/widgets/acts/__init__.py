"""The acts on each library's page."""

from tests.widgets.act import Library
from tests.widgets.acts import fields, grids, jquery, overlays, react_kits, react_widgets, selects, vue, web_components

LIBRARIES: tuple[Library, ...] = (
    *overlays.LIBRARIES,
    *fields.LIBRARIES,
    *grids.LIBRARIES,
    *react_kits.LIBRARIES,
    *react_widgets.LIBRARIES,
    *selects.LIBRARIES,
    *vue.LIBRARIES,
    *web_components.LIBRARIES,
    *jquery.LIBRARIES,
)
