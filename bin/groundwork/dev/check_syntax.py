"""Checks the syntax of scripts: reads their sources as a JSON list, and prints a list with the error of each, or null."""

import json
import sys
import warnings


def find_error(source):
    """Returns the line and the message of the first syntax error; None where there is none."""
    try:
        compile(source, '<script>', 'exec', dont_inherit=True)
    except SyntaxError as error:
        return {'line': error.lineno or 1, 'message': error.msg}
    except ValueError as error:  # null bytes, before Python 3.12
        return {'line': 1, 'message': str(error)}
    except (MemoryError, RecursionError) as error:
        return {'line': 1, 'message': 'too deep for the compiler: ' + type(error).__name__}
    return None


warnings.simplefilter('ignore')
json.dump([find_error(source) for source in json.load(sys.stdin)], sys.stdout)
