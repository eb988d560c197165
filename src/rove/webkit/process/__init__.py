"""The processes of WebKit: drivers, the browsers that they start, and the display that windows are drawn on."""
