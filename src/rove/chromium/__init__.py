"""The browser as objects, over its DevTools protocol. Knows nothing of agents, actions or policy."""
