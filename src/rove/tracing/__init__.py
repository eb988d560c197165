"""Traces of a page in the form of Chrome's tools: which of their events may be kept, and what they say of costs."""
