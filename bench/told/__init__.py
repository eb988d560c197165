"""How often a server tells the truth about what an act did, on pages that change later than at once."""
