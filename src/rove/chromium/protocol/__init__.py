"""The Chrome DevTools Protocol (CDP): commands, responses and events, and the transports that carry them."""
