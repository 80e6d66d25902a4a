"""TVM: tensor programs, their schedules, and what they compute."""
