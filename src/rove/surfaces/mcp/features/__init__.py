"""What the server offers: tools and resources."""
