"""The forms that answers and errors of tools can have. A module here is found by itself."""
