"""A guided tour of a small built-in site, with no key and no network."""
