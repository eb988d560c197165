"""The acts on each library's page."""

from tests.widgets.act import Library
from tests.widgets.acts import fields, grids, jquery, overlays, react, vue, web_components

LIBRARIES: tuple[Library, ...] = (
    *overlays.LIBRARIES,
    *fields.LIBRARIES,
    *grids.LIBRARIES,
    *react.LIBRARIES,
    *vue.LIBRARIES,
    *web_components.LIBRARIES,
    *jquery.LIBRARIES,
)
