"""How long a server waits on pages in which something goes on, and whether its answers are true of them."""
