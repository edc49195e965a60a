# Finds the operators that served these APIs before, while they run or left webhooks behind. Two
# operators that move the same partition undo each other's work. Sourced by the scripts beside it.

# <name of a Lease>|<what holds it>|<how to stop it>
readonly predecessors=(
    "304add93.sts.plus|the first operator of PhasedRollouts|scale its Deployment to 0"
    "argo-rollouts-controller-lock|Argo Rollouts, which steers RolloutPlugins too if it is a build with that kind|leave it alone if it has no RolloutPlugins"
    "stateful-cluster-operator-lock|the first operator of StatefulClusters|scale its Deployment to 0"
)
# <in the name of an image>|<what a pod with it does>
readonly predecessor_images=(
    "statefulset-pilot|which moves the same partitions"
    "cf-operator|which serves ExtendedStatefulSets and ExtendedJobs"
)
readonly lease_age_max=120 # seconds; a living leader renews every few

renewed_lately() { # <time as in a Lease>
    local then
    then="$(date -d "$1" +%s 2>/dev/null)" || return 1
    (($(date +%s) - then < lease_age_max))
}

report_leases() {
    local ns name renewed row lease what how
    "$kubectl" get leases --all-namespaces --no-headers --ignore-not-found \
        -o custom-columns=A:.metadata.namespace,B:.metadata.name,C:.spec.renewTime |
        while read -r ns name renewed; do
            for row in "${predecessors[@]}"; do
                IFS='|' read -r lease what how <<<"$row"
                [[ "$name" == "$lease" ]] && renewed_lately "$renewed" || continue
                echo "Lease $name in namespace $ns is held by $what: $how, and see docs/migration.md."
            done
        done
}

report_webhooks() {
    local kind
    for kind in mutatingwebhookconfigurations validatingwebhookconfigurations; do
        "$kubectl" get "$kind" --no-headers --ignore-not-found \
            -o custom-columns='A:.metadata.name,B:.webhooks[*].name' |
            { grep -E 'phasedrollout-v1alpha1\.kb\.io' || true; } |
            while read -r name _; do
                echo "$kind $name is of the first operator of PhasedRollouts and would refuse or" \
                    "change what Sluice takes. To remove it: kubectl delete $kind $name"
            done
    done
}

report_pods() {
    local ns name images row image what
    "$kubectl" get pods --all-namespaces --no-headers --ignore-not-found \
        --field-selector=status.phase=Running \
        -o custom-columns='A:.metadata.namespace,B:.metadata.name,C:.spec.containers[*].image' |
        while read -r ns name images; do
            for row in "${predecessor_images[@]}"; do
                IFS='|' read -r image what <<<"$row"
                [[ "$images" == *"$image"* ]] || continue
                echo "Pod $name in namespace $ns runs $image, $what: scale it to 0, and see" \
                    "docs/migration.md."
            done
        done
}

report_predecessors() {
    report_leases
    report_webhooks
    report_pods
}
