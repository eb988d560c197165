"""What people see of sessions as it happens, and what they do in them."""
