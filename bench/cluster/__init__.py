"""What a Ray cluster costs and brings."""
