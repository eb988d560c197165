"""The picture that a video shows where the page may not be recorded."""

from __future__ import annotations

import functools
import io

TEXT = "not recorded"
BACKGROUND, FOREGROUND = (60, 64, 67), (189, 193, 198)
TEXT_SIZE = 24


@functools.lru_cache(maxsize=4)
def withheld_picture(width: int, height: int) -> bytes:
    """Return a grey JPEG of this size that says so."""
    from PIL import Image, ImageDraw, ImageFont  # few videos need it

    image = Image.new("RGB", (max(width, 16), max(height, 16)), BACKGROUND)
    middle = image.width / 2, image.height / 2
    ImageDraw.Draw(image).text(middle, TEXT, FOREGROUND, ImageFont.load_default(TEXT_SIZE), anchor="mm")
    data = io.BytesIO()
    image.save(data, "JPEG", quality=70)
    return data.getvalue()
