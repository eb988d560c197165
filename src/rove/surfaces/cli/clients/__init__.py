"""The MCP clients on this machine, and rove's entry in their configuration."""
