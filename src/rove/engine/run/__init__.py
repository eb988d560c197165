"""How one action runs: lock, deadline, perform, settle, observe."""
