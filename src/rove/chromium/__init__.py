"""The browser as objects, over Playwright. Knows nothing of agents, actions or policy."""
