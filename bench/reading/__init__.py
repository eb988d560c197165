"""How well the text of articles is found, beside other extractors."""
