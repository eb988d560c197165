"""Every action as a command."""
