"""The DevTools protocol: its messages and the transports that carry them."""
