#!/bin/sh
# Starts a gateway of a cluster: gateway.sh HEAD [options of `rove serve`]
#
# Ray lets a process connect only from a machine that is one of its nodes, so this one becomes a node too, with no cores:
# no session is placed on it. When the head is lost that node ends, and is started again until the head is back;
# `rove serve` goes on meanwhile.
set -eu
head=$1
shift
while :; do
    ray start --address="$head" --num-cpus=0 --disable-usage-stats --block || :
    sleep 2
done >&2 &
exec rove serve --cluster "$head" "$@"
