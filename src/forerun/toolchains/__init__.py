"""Worlds that can check an answer: one file or folder, one world."""
