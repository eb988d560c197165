"""The acts on each library's page."""

from tests.widgets.act import Library
from tests.widgets.acts import overlays, react, vue

LIBRARIES: tuple[Library, ...] = (*overlays.LIBRARIES, *react.LIBRARIES, *vue.LIBRARIES)
