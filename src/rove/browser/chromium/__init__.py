"""Chromium, driven over the Chrome DevTools Protocol (CDP). Imports nothing of agents, actions or policy."""
