#!/bin/sh
# Empties a pod with browsers before it goes: drain.sh POD
#
# It asks the gateway, which alone has the owner's token: a node that runs pages of strangers must not have it, so this is
# no preStop hook of the node. Then the pod is deleted, and KubeRay starts another.
set -eu
[ $# -eq 1 ] || { echo "usage: drain.sh POD" >&2; exit 2; }
address=$(kubectl get pod "$1" -o jsonpath='{.status.podIP}')
kubectl exec deploy/rove-gateway -c gateway -- rove cluster drain "$address"
kubectl delete pod "$1"
