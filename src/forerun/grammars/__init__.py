"""Output languages: one file, one language."""
