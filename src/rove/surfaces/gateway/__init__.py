"""The gateway: agents, people and programs reach the sessions of one server over WebSocket and HTTP."""
