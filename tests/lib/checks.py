"""What the Python scripts of the tests count with: its folder goes to sys.path,
then `from checks import Checks`."""
import sys


class Checks:
    """Counts checks, prints at most 20 failures."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def check(self, ok, what):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            if self.failed <= 20:
                print("%s: %s" % (self.name, what))
        return ok

    def end(self):
        print("%s: %d passed, %d failed"
              % (self.name, self.passed, self.failed))
        sys.exit(1 if self.failed or not self.passed else 0)
