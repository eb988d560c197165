"""What happens to a page: documents, dialogs, windows, requests."""
