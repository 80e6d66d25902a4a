"""`python -m forerun`."""

import sys

try:
    from forerun.cli import main

    code = main()
except KeyboardInterrupt:  # before the command line could take care of it
    code = 130
sys.exit(code)
