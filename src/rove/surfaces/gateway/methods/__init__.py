"""The methods of the gateway, by subject."""
