"""What lasts on disk: files of chained lines, saved states, profiles."""
