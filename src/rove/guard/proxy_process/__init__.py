"""The process that the proxies of all sessions run in, and the engine's side of it."""
