"""Extensions of a browser that its owner has chosen."""
