"""The network traffic of tabs as HAR 1.2, an archive format that the developer tools of browsers read."""
