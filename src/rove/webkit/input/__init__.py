"""Mouse and keyboard, as WebDriver's actions."""
