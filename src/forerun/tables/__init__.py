"""Tables of rows: to and from files, from a user's table, from public data sets, and from stored trials."""

from forerun.tables.public import LAYOUTS, read_public
from forerun.tables.rows import read_rows, read_table, write_rows
from forerun.tables.stored import TASKS, rows_of

__all__ = ["LAYOUTS", "TASKS", "read_public", "read_rows", "read_table", "rows_of", "write_rows"]
