"""A simulation of thousands of sessions on hundreds of nodes, fed with measured costs."""
