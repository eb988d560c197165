"""Actions that change what pages are told and what their requests meet."""
