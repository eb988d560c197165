"""The Python library: a typed method for every action.

async with rove.open() as session:
    await session.navigate("https://example.com")
    await session.click('link "More"')
"""

from __future__ import annotations

from rove.surfaces.library.session import Opening, Session, open, open_with

__all__ = ["Opening", "Session", "open", "open_with"]
