#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run a function of lib.sh as a command.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh
"$@"
