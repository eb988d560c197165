"""Comparing pictures pixel by pixel: images in, differences out."""
