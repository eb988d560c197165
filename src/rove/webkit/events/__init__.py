"""The page that a tab shows, as its reports and the driver's answers tell of it."""
