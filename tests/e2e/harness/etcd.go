package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	etcd "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// etcdBinary is ETCD_BINARY, or the etcd beside the other binaries. Another etcd of the machine may
// be too old to serve streaming lists.
func etcdBinary(binaries string) (string, error) {
	if named := os.Getenv("ETCD_BINARY"); named != "" {
		return exec.LookPath(named)
	}
	found, err := exec.LookPath(filepath.Join(binaries, "etcd"))
	if err != nil {
		err = fmt.Errorf("ETCD_BINARY is not set; it is what scripts/kube-binaries --etcd prints: %w",
			err)
	}
	return found, err
}

// CompactEtcd forgets every revision but the present one.
func (c *ControlPlane) CompactEtcd(ctx context.Context) error {
	client, err := etcd.New(etcd.Config{Endpoints: []string{c.EtcdURL}, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	defer client.Close()
	answer, err := client.Get(ctx, "/")
	if err != nil {
		return err
	}
	if _, err := client.Compact(ctx, answer.Header.Revision, etcd.WithCompactPhysical()); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return nil
}
