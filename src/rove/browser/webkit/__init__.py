"""WebKit, driven over classic W3C WebDriver: WebKitGTK on Linux, Safari on macOS."""
