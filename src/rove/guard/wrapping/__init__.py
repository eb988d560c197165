"""Marks page text as untrusted, with markers that pages cannot forge."""
