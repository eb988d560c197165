"""Reading and restoring the state of a context: cookies, web storage, IndexedDB."""
