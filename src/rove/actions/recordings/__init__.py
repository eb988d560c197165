"""Actions on recordings: expectations, and running recordings again."""
