"""MCP over HTTP. Only the gateway imports it: `rove mcp` needs neither Starlette nor the time to load it."""
