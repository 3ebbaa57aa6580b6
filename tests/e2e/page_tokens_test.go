package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	authentication "k8s.io/api/authentication/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/harness"
)

// tokenOf makes a service account, with the ClusterRole if it is named, and a token of it in a file.
func tokenOf(e *harness.Env, account, role string) string {
	e.Helper()
	accounts := e.Client.CoreV1().ServiceAccounts(e.Namespace)
	_, err := accounts.Create(e.Context,
		&core.ServiceAccount{ObjectMeta: meta.ObjectMeta{Name: account}}, meta.CreateOptions{})
	e.Must(err)
	if role != "" {
		bindings := e.Client.RbacV1().ClusterRoleBindings()
		_, err := bindings.Create(e.Context, &rbac.ClusterRoleBinding{
			ObjectMeta: meta.ObjectMeta{Name: e.Namespace + "-" + account},
			RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role},
			Subjects: []rbac.Subject{{Kind: rbac.ServiceAccountKind, Name: account,
				Namespace: e.Namespace}}}, meta.CreateOptions{})
		e.Must(err)
		e.Cleanup(func() {
			bindings.Delete(e.Context, e.Namespace+"-"+account, meta.DeleteOptions{})
		})
	}
	token, err := accounts.CreateToken(e.Context, account, &authentication.TokenRequest{},
		meta.CreateOptions{})
	e.Must(err)
	file := filepath.Join(e.TempDir(), "token")
	e.Must(os.WriteFile(file, []byte(token.Status.Token+"\n"), 0o600))
	return file
}

// Whoever the API server knows and lets get the page has it; the certificate is not needed.
func TestPagesAreForBearersOfTokensThatMay(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.Must(e.StopBerth())
	server, err := e.NewSecret(t.TempDir(), "berthd")
	e.Must(err)
	settings := block(e, "tls-of-the-extender", "/etc/berth-tls", server.Directory)
	settings["pages"] = settings["extender"]
	berth, err := e.Replica(harness.BerthOptions{Name: "berthd-tokens", Configuration: settings,
		HasTLS: true})
	e.Must(err)
	t.Cleanup(berth.Kill)
	e.Show(berth.Process, 30)
	e.Must(berth.Start(e.Context))
	e.Must(berth.AwaitReady(e.Context))

	unknown := filepath.Join(t.TempDir(), "token")
	e.Must(os.WriteFile(unknown, []byte("nobody's"), 0o600))
	person := e.User("ada", "view")
	for _, each := range []struct {
		token, says string
		mayGet      bool
	}{
		{tokenOf(e, "reader", "berth-pages"), `"default"`, true},
		{tokenOf(e, "stranger", ""), "may not get /queues", false},
		{unknown, "answered 401", false},
	} {
		answer, err := person.Runs(e.Context, "berth queues --server "+berth.Pages+" --tls-ca "+
			filepath.Join(server.Directory, "ca.crt")+" --token-file "+each.token)
		if (err == nil) != each.mayGet || !strings.Contains(answer, each.says) {
			t.Errorf("with %s: %v\n%s\nexpected %q", each.token, err, answer, each.says)
		}
	}
}
