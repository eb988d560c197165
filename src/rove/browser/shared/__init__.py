"""What the engines share: processes, connections, and a page driven through rove's scripts.

An engine gives it the primitives that are abstract here.
"""
