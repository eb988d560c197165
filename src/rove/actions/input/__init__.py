"""Actions of a user: pointer, keyboard, forms, files, dialogs, clipboard."""
