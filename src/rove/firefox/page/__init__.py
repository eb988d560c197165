"""One tab of Firefox: its page, navigation, input and logs."""
