"""Learning what ships from stored trials."""
