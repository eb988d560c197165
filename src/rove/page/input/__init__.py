"""Input to a page: finding elements, pointer, keyboard, files, clipboard, scripts."""
