package harness

import (
	"context"
	"fmt"

	etcd "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

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
