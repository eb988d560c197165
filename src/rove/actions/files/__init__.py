"""Actions on files of the workspace."""
