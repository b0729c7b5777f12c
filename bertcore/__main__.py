"""`python -m bertcore` is the `bertcore` command."""

from bertcore.cli.main import main

if __name__ == "__main__":
    main()
