// Package recorded drives kube-scheduler's own queue and cache by chance and writes what they do,
// for the stand-in of the cluster in memory (docs/design/embedded.md). It needs no control plane.
package recorded
