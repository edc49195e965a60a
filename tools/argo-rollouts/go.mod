// Whose custom resource definitions may be in the cluster beside ours. Nothing of it is compiled.
module sluice.dev/tools/argo-rollouts

go 1.24

require github.com/argoproj/argo-rollouts v1.10.1
