"""Questions: one file, one question."""
