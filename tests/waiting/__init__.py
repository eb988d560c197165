"""Pages that go on doing something after they have loaded, or after a click, and what an answer must say of them."""
