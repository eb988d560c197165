"""WebDriver over HTTP: requests, failures, and commands to a window or a frame."""
