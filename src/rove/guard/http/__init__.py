"""HTTP messages, read strictly enough that no server reads them differently."""
