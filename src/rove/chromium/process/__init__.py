"""Finding, installing, starting and ending the browser's process."""
