"""Firefox, driven over WebDriver BiDi."""
