"""Results as text, JSON and images, for models and people."""
