"""One tab and the life of its page: loading, dialogs, popups, downloads."""
