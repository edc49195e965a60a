#!/usr/bin/env bash
# A canary of five pods, step by step, on the cluster of your kubeconfig, where Sluice must run.
#
#     test/rolloutplugin/test-statefulset-canary.sh [namespace]
#
# It makes a StatefulSet with five pods, changes its image behind a closed gate, makes a
# RolloutPlugin with the weights 20, 40, 60, 80 and 100, watches the rollout, and checks at every
# weight how many pods run the new image. At the end, however it went, everything is taken away that
# it made. The namespace is made if it does not exist, and then it goes too.
set -euo pipefail

readonly namespace="${1:-sluice-canary-test}"
readonly set=canary
readonly old="${OLD_IMAGE:-nginx:1.21}"
readonly new="${NEW_IMAGE:-nginx:1.22}"
readonly pause="${PAUSE:-10s}"
readonly patience="${PATIENCE:-300}" # seconds for one step
readonly weights=(20 40 60 80 100)

k() { kubectl --namespace "$namespace" "$@"; }
say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*"; }
fail() {
    say "FAILED: $*" >&2
    k get rolloutplugin,statefulset,pods >&2 || true
    k get rolloutplugin "$set" --output jsonpath='{.status.message}{"\n"}' >&2 || true
    exit 1
}

made_namespace=false
clean_up() {
    local code=$?
    say "cleaning up"
    k delete rolloutplugin "$set" --ignore-not-found --wait=false >/dev/null || true
    k delete statefulset "$set" --ignore-not-found --wait=false >/dev/null || true
    if "$made_namespace"; then kubectl delete namespace "$namespace" --wait=false >/dev/null; fi
    exit "$code"
}

# How many pods have this image and are ready.
pods_with() {
    k get pods --selector app="$set" --output \
        jsonpath='{range .items[*]}{.spec.containers[0].image} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' |
        grep -c "^$1 True\$" || true
}

wait_for() { # <what> <command that succeeds once it is so>
    local what=$1 until=$((SECONDS + patience))
    shift
    until "$@"; do
        ((SECONDS < until)) || fail "not within ${patience}s: $what"
        sleep 1
    done
}

has_pods() { [[ "$(pods_with "$1")" == "$2" ]]; }
is_in_phase() { [[ "$(k get rolloutplugin "$set" --output jsonpath='{.status.phase}')" == "$1" ]]; }

trap clean_up EXIT
if ! kubectl get namespace "$namespace" >/dev/null 2>&1; then
    kubectl create namespace "$namespace" >/dev/null
    made_namespace=true
fi

say "1. a StatefulSet of five pods of $old"
k apply --filename - >/dev/null <<YAML
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: $set
spec:
  serviceName: $set
  replicas: 5
  selector:
    matchLabels: {app: $set}
  template:
    metadata:
      labels: {app: $set}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - {name: nginx, image: "$old"}
  updateStrategy:
    type: RollingUpdate
    rollingUpdate: {partition: 5}
YAML
wait_for "five pods of $old" has_pods "$old" 5

say "2. its image becomes $new; the gate is closed"
k set image "statefulset/$set" "nginx=$new" >/dev/null

say "3. a RolloutPlugin with the weights ${weights[*]}"
{
    cat <<YAML
apiVersion: argoproj.io/v1alpha1
kind: RolloutPlugin
metadata:
  name: $set
spec:
  workloadRef: {apiVersion: apps/v1, kind: StatefulSet, name: $set}
  plugin: {name: statefulset-plugin}
  strategy:
    canary:
      steps:
YAML
    for weight in "${weights[@]}"; do
        echo "        - setWeight: $weight"
        if ((weight < 100)); then echo "        - pause: {duration: $pause}"; fi
    done
} | k apply --filename - >/dev/null

say "4. the rollout"
for weight in "${weights[@]}"; do
    count=$((5 * weight / 100))
    wait_for "$count pods of $new" has_pods "$new" "$count"
    say "   weight $weight: $count of 5 pods run $new, $(pods_with "$old") run $old"
done

say "5. the end"
wait_for "the phase Successful" is_in_phase Successful
has_pods "$new" 5 || fail "not all pods run $new"
partition="$(k get statefulset "$set" \
    --output jsonpath='{.spec.updateStrategy.rollingUpdate.partition}')"
[[ "$partition" == 5 ]] || fail "the gate is open: the partition is $partition"
say "PASSED: every step was seen, all pods run $new, and the gate is closed again"
