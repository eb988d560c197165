"""The arguments of commands: those of actions, and settings as flags."""
