"""What people see of the daemon, and how they answer it."""
