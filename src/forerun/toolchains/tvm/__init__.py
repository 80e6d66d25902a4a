"""TVM: tensor programs."""
