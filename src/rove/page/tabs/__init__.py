"""The tabs of a context, on any engine: ids, limits, and what becomes of one whose page is lost."""
