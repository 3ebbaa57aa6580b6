package harness

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
)

// persist tries a call until the API server has answered it, be it with a refusal.
func persist(ctx context.Context, within time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := call(ctx)
		if err == nil || (errors.ReasonForError(err) != "" && !isTransient(err)) {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return err
		}
	}
}

func isTransient(err error) bool {
	return errors.IsInternalError(err) || errors.IsServerTimeout(err) || errors.IsTimeout(err) ||
		errors.IsServiceUnavailable(err) || errors.IsTooManyRequests(err)
}
