"""Processes of browsers of every engine: starting and ending them, their memory, the folder of their files."""
