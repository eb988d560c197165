"""What a session emulates and grants, in the commands of WebDriver BiDi."""
