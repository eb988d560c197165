"""Many pages with Playwright as its documentation would do it: a queue, workers, one browser.

python playwright_script.py ADDRESSES PARALLEL text|screenshot [fresh]
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Any


async def visit(page: Any, url: str, what: str) -> None:
    await page.goto(url)
    if what == "screenshot":
        await page.screenshot()
    else:
        await page.inner_text("body")


async def work(browser: Any, urls: list[str], what: str, is_fresh: bool) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    while urls:
        url = urls.pop()
        if is_fresh:
            await context.close()
            context = await browser.new_context()
            page = await context.new_page()
        await visit(page, url, what)


async def main(addresses: list[str], parallel: int, what: str, is_fresh: bool) -> None:
    from playwright.async_api import async_playwright  # type: ignore[import-not-found,unused-ignore]

    async with async_playwright() as playwright:
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = await playwright.chromium.launch(executable_path=program)
        await asyncio.gather(*(work(browser, addresses, what, is_fresh) for _ in range(parallel)))
        await browser.close()


asyncio.run(main(Path(sys.argv[1]).read_text().split(), int(sys.argv[2]), sys.argv[3], sys.argv[4:] == ["fresh"]))
