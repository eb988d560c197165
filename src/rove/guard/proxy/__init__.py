"""The filtering forward proxy that every request of the browser goes through."""
