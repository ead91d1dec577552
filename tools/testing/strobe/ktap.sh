# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the tests in shell share: numbered results, KTAP or TAP.

n=0
failed=0

# result NAME STATUS
result()
{
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n $1"
	else
		echo "not ok $n $1"
		failed=$((failed + 1))
	fi
}

# finish: the plan; exits
finish()
{
	echo "1..$n"
	exit $((failed != 0))
}
