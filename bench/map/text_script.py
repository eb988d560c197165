"""What `page.inner_text("body")` gives in Playwright, as a script of `rove map`."""

from __future__ import annotations

import rove


async def run(session: rove.Session, url: str) -> str:
    await session.navigate(url)
    return str((await session.extract()).result)
