"""The site of `rove demo`: a small tea shop that runs on this machine, so that the tour needs no network."""
