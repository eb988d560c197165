"""The filtering forward proxy through which every request of the browser goes."""
