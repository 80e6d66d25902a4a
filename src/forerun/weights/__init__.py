"""The models and lists that ship."""
