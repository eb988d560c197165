"""rove for scripts and notebooks: every method waits for its outcome.

with rove.sync.open() as session:
    session.navigate("https://example.com")
    session.click('link "More"')
"""

from __future__ import annotations

from rove.surfaces.library.blocking import BlockingOpening as Opening
from rove.surfaces.library.blocking import BlockingSession as Session
from rove.surfaces.library.blocking import BlockingTools as SessionTools
from rove.surfaces.library.blocking import open, tools

__all__ = ["Opening", "Session", "SessionTools", "open", "tools"]
