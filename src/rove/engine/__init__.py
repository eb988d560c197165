"""How an action runs: one road, through one gate."""
