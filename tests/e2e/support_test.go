package e2e

import (
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/harness"
)

// beginBehindProxy gives the test a berthd whose requests it can hold.
func beginBehindProxy(t *testing.T) (*harness.Env, *harness.Proxy) {
	t.Helper()
	e := cluster.BeginWithBerth(t, harness.BerthOptions{APIURL: proxy.URL})
	t.Cleanup(proxy.ReleaseAll) // before the namespace is cleared
	return e, proxy
}

// await waits until a request has come that the hold stops.
func await(t testing.TB, hold *harness.Hold) {
	t.Helper()
	select {
	case <-hold.Reached():
	case <-time.After(harness.Soon):
		t.Fatalf("no such request within %v", harness.Soon)
	}
}
