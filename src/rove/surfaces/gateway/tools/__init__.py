"""The tools of the gateway: what the model of the chat, and a person at the page, can call."""
