"""Chromium's own objects behind the engine-neutral interface, for tests that inject faults into them."""

from __future__ import annotations

from rove.browser.chromium.browser import Browser
from rove.browser.chromium.tab import Tab
from rove.browser.shared import browser as interface
from rove.browser.shared import tab as tab_interface


def chromium_browser(browser: interface.Browser | None) -> Browser:
    """Return the browser as the Chromium object that it is."""
    assert isinstance(browser, Browser)
    return browser


def chromium_tab(tab: tab_interface.Tab | None) -> Tab:
    """Return the tab as the Chromium object that it is."""
    assert isinstance(tab, Tab)
    return tab
