"""What an action sends or opens, as far as it can be known before the action is done."""
