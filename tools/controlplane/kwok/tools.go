//go:build tools

// Package kwok pins the program that plays the kubelets; ../build builds it.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
