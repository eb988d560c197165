"""Many pages: addresses from a stream, through workers, to a file of results."""
