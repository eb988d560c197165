"""Events that the browser reports about a page: console, network, loading, dialogs, popups, downloads, workers."""
