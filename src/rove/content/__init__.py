"""What a page or a document says: HTML and PDF as text and data, addresses over HTTP. Knows no browser."""
