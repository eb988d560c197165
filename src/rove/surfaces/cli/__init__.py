"""The command line: its commands, their arguments, and the daemon that runs actions."""
