"""Files that a browser shows or downloads, read as documents."""
