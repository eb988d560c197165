"""Input to a page over WebDriver BiDi."""
