"""The chat: a model that calls the tools of the gateway."""
