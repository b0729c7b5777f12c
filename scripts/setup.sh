#!/bin/sh
# Finds a Python that is new enough and hands over to setup.py. PYTHON=... chooses one; `test`: what tests need, too.
cd "$(dirname "$0")/.." || exit 1

# Done already? Asked of the Python in .venv, without its packages: that is the quickest.
.venv/bin/python -S scripts/setup.py --check "$1" 2>/dev/null && exit 0

what=$1
if [ -n "$PYTHON" ]; then set -- "$PYTHON"; else set -- python3 python3.14 python3.13 python3.12 python3.11 python; fi
found=""
for python; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case "$version" in
        3.[0-9] | 3.10 | 2.*) found="$found $python ($version)" ;;
        *) exec "$python" scripts/setup.py $what ;;
    esac
done

echo "BERTscope needs Python 3.11 or newer, and found${found:- none}: install one, or name it: make setup PYTHON=/path/to/python3" >&2
exit 1
