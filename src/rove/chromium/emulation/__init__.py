"""Emulation of devices, places and preferences in the pages, frames and workers of a context."""
