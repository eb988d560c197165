"""What a tab logs, whichever engine reports it: console messages and requests, each the latest of them."""
