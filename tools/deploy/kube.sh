# Shared by the scripts beside it, which source it. They speak to the cluster of the current
# kubectl context and take:
#   SLUICE_BINARY   the sluice command, which carries the manifests (default build/release/sluice)
#   KUBECTL         kubectl
#   NAMESPACES      shop,bank: where the operator steers and has rights (default: everywhere)
set -euo pipefail
shopt -s inherit_errexit  # a failed question inside $(...) ends the script too

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
readonly sluice="${SLUICE_BINARY:-$repository/build/release/sluice}"
readonly kubectl="${KUBECTL:-kubectl}"
readonly namespace=sluice-system

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

[[ -x "$sluice" ]] || fail "$sluice is not there; run \`make build\` or set SLUICE_BINARY."

server_version() {
    "$kubectl" get --raw /version | sed -n 's/.*"gitVersion": *"\([^"]*\)".*/\1/p'
}

kube_version="$(server_version)"
[[ -n "$kube_version" ]] || fail "the API server does not say which version it is."

manifests() { # <component> [flags]
    "$sluice" manifests "$@" --kube-version "$kube_version" \
        ${NAMESPACES:+--namespace "$NAMESPACES"}
}

# Of a component, what is for us to apply or delete: definitions of others are not.
ours() { # <component> [flags]
    if [[ "$1" != crds ]]; then
        manifests "$@"
        return
    fi
    local names installed
    names="$(manifests crds | names_of CustomResourceDefinition)"
    # shellcheck disable=SC2086 # several names, none of which holds a space
    installed="$("$kubectl" get crd $names --ignore-not-found -o json)"
    manifests crds --installed /dev/stdin <<<"$installed"
}

# A component without objects is a comment; kubectl would call that an error.
has_objects() { # <yaml>
    grep -q '^kind:' <<<"$1"
}

# What a text says before its first document.
remarks() { # YAML on stdin
    sed -n '/^---$/q; s/^# \{0,1\}//p'
}

apply() { # <component> [flags]
    local text
    text="$(ours "$@")"
    remarks <<<"$text"
    has_objects "$text" || return 0
    "$kubectl" apply -f - <<<"$text"
}

# Deletes the objects of a component that a filter lets through, waits until they are gone, and
# minds nothing that is gone already.
delete() { # <component> [filter and its arguments]
    local text
    text="$(ours "$1")"
    if (($# > 1)); then
        text="$("${@:2}" <<<"$text")"
    fi
    has_objects "$text" || return 0
    "$kubectl" delete --ignore-not-found --cascade=foreground -f - <<<"$text"
}

# Filters: the documents of a YAML text whose kind matches, or does not match, a pattern.
only_kinds() { # <pattern>, YAML on stdin
    awk -v kind="^kind: ($1)\$" 'BEGIN { RS = "---\n"; ORS = "" }
        { n = split($0, line, "\n"); for (i = 1; i <= n; i++)
              if (line[i] ~ kind) { print "---\n" $0; next } }'
}

names_of() { # <kind>, YAML on stdin
    only_kinds "$1" | sed -n 's/^  name: //p'
}

all_kinds_but() { # <pattern>, YAML on stdin
    awk -v kind="^kind: ($1)\$" 'BEGIN { RS = "---\n"; ORS = "" }
        { n = split($0, line, "\n"); for (i = 1; i <= n; i++) if (line[i] ~ kind) next
          print "---\n" $0 }'
}
