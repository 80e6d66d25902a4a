"""Where programs come from: one file, one source of real C and C++, with the licence of each program."""
