"""How often `web_fetch` uses the browser, on pages of our own: it should never where HTTP would do."""
