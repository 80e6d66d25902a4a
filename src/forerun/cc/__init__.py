"""The drop-in compiler: a native client for each translation unit, and a resident server that does the work."""
