"""`python -m generator` is `bitdepth`."""

from generator.cli import main

if __name__ == "__main__":
    main()
