"""Tabs: navigation, and what WebDriver cannot do."""
