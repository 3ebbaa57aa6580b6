// Package harness runs a real control plane (etcd, kube-apiserver, kube-scheduler) and berthd on
// loopback, with simulated nodes, and watches what becomes of pods.
package harness
