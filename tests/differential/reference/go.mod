// The library that the conditions of Argo Rollouts are written for, to compare ours with.
module sluice.dev/tests/differential

go 1.24

require github.com/expr-lang/expr v1.17.7
