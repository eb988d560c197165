"""What the browser reports about a page: console, network, workers, failures."""
