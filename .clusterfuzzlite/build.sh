#!/bin/bash -eu
exec "$SRC/prelaunch/fuzz/oss-fuzz/build.sh"
