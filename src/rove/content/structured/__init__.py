"""Data from a page without a model: rows by selectors or table headers, tables and lists found, and metadata."""
