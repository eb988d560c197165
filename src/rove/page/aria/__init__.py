"""Aria snapshots, in the form of Playwright, and the elements that their refs mean."""
