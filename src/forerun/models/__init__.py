"""Ways to write drafts: one file, one way."""
