// Package oracle asks kube-scheduler's own filter plugins which nodes may take a pod, in clusters
// that it makes up; docs/design/oracle.md says how. It needs no control plane.
package oracle
