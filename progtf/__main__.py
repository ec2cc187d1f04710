"""``python -m progtf``: the command line."""

from progtf.cli.main import main

if __name__ == "__main__":
    main()
