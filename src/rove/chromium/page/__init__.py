"""A tab and its page: navigation, observation, workers, permissions and closing."""
