//go:build tools

// Package older pins the API server of an older Kubernetes; ../build builds it.
package older

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
