"""Pages and elements in the form of Playwright: views of a page, and locators."""
