"""The arguments of commands, and their help."""
