"""Pure decisions on what an agent may do. Knows an action's declared facts, never how it is performed."""
