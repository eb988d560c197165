"""Recordings in the forms of other programs: code that runs, and files that other tools open."""
