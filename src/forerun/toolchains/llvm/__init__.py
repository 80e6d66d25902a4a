"""LLVM: the compiler as a checker. `lib` finds and binds the library, `clang` drives the user's compiler."""
