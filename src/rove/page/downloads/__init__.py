"""Downloads of any engine: into the workspace under safe names, within limits of count and size."""
