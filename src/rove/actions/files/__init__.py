"""Actions on files of the workspace, which need no browser."""
