"""What a session overrides: the device that pages see, permissions, rules for requests, HTTP credentials."""
