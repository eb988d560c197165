"""How fast a page is: Web Vitals, and profiles of what it does."""
