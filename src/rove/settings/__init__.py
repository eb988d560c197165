"""One tree of settings, and the few that are read before it: the home folder and the browser's version."""
