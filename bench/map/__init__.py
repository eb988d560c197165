"""`rove map` beside a plain asyncio script on Playwright."""
