"""The Python library: a typed method for every action.

async with rove.open() as session:
    await session.navigate("https://example.com")
    await session.click('link "More"')
"""

from __future__ import annotations

from rove.surfaces.library.opening import Opening, open, open_with
from rove.surfaces.library.session import Session

__all__ = ["Opening", "Session", "open", "open_with"]
