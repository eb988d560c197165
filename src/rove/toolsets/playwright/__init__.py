"""Answers in the form of Playwright MCP."""
