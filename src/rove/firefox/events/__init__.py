"""What Firefox reports of a page: console messages, requests, dialogs and downloads."""
