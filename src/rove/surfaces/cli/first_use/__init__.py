"""What a user runs once: connecting MCP clients, the guide for coding agents, shell completion."""
