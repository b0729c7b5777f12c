#!/bin/sh
# Starts PROGRAM with the Python beside it, whatever Python the system has.
case "$0" in
    */*) here=${0%/*} ;;
    *) here=. ;;
esac
if [ -L "$0" ]; then here=$(dirname "$(readlink -f "$0")"); fi
here=$(cd "$here" && pwd) || exit 1
LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
unset PYTHONHOME PYTHONPATH
exec "$here/python/bin/python3" -P -s -m PROGRAM "$@"
