package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	authorization "k8s.io/api/authorization/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/harness"
)

// The rights of what passes through the view (docs/decisions/0027).

// askAs lists pods, which a kube-scheduler may, and groups, which berthd may and it may not.
func askAs(e *harness.Env, config *rest.Config) (pods, groups error) {
	e.Helper()
	client, err := kubernetes.NewForConfig(config)
	e.Must(err)
	_, pods = client.CoreV1().Pods("").List(e.Context, meta.ListOptions{Limit: 1})
	groups = client.CoreV1().RESTClient().Get().
		AbsPath("/apis", harness.GroupVersion.String(), "podgroups").Do(e.Context).Error()
	return pods, groups
}

// VIEW-8: requests have the rights of kube-scheduler's account, and not those of berthd's or of
// anybody whom their headers name. Without the key there is no answer.
func TestTheViewGivesKubeSchedulersRightsOnly(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	berthd, err := e.Token(harness.ServiceAccount)
	e.Must(err)
	withHeaders := func(change func(*rest.Config)) *rest.Config {
		config := e.Berth.View.Config()
		change(config)
		return config
	}
	for name, config := range map[string]*rest.Config{
		"kube-scheduler": e.Berth.View.Config(),
		"a wrong token":  withHeaders(func(c *rest.Config) { c.BearerToken = "x" }),
		"berthd's token": withHeaders(func(c *rest.Config) { c.BearerToken = berthd }),
		"impersonation": withHeaders(func(c *rest.Config) {
			c.Impersonate = rest.ImpersonationConfig{UserName: "admin", UID: "1",
				Groups: []string{"system:masters"}, Extra: map[string][]string{"a": {"b"}}}
		}),
	} {
		if pods, groups := askAs(e, config); pods != nil || !apierrors.IsForbidden(groups) {
			t.Errorf("%s: pods %v, groups %v", name, pods, groups)
		}
	}
	without := e.Berth.View.Config()
	without.CertFile, without.KeyFile = "", ""
	if pods, _ := askAs(e, without); pods == nil || apierrors.ReasonForError(pods) != "" {
		t.Errorf("without the key of the view: %v, expected no answer", pods)
	}
	other := harness.View{Port: e.Berth.View.Port, Directory: t.TempDir()}
	makeViewKey(t, other.Directory)
	wrong := other.Config()
	wrong.CAFile = e.Berth.View.Certificate()
	if pods, _ := askAs(e, wrong); pods == nil || apierrors.ReasonForError(pods) != "" {
		t.Errorf("with another key: %v, expected no answer", pods)
	}
}

// Each account as it sees itself: kube-scheduler's rights are not berthd's, and the other way round.
func TestBerthAndKubeSchedulerHaveRightsOfTheirOwn(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	berth, err := e.AsBerth()
	e.Must(err)
	kubeScheduler, err := e.Berth.View.Client()
	e.Must(err)
	const volcano = "scheduling.volcano.sh"
	for _, each := range []struct {
		ofBerth, ofKubeScheduler                          bool
		verb, group, resource, subresource, space, object string
	}{
		{true, true, "list", "", "pods", "", "", ""},
		{true, true, "create", "", "pods", "binding", "a", ""},
		{false, true, "delete", "", "pods", "", "a", ""},
		{false, true, "patch", "", "persistentvolumes", "", "", "v"},
		{false, true, "update", "", "persistentvolumeclaims", "", "a", "c"},
		{true, true, "list", "storage.k8s.io", "csinodes", "", "", ""},
		{true, true, "create", "authentication.k8s.io", "tokenreviews", "", "", ""},
		{true, true, "create", "authorization.k8s.io", "subjectaccessreviews", "", "", ""},
		{false, true, "get", "", "configmaps", "", "kube-system",
			"extension-apiserver-authentication"},
		{true, false, "patch", "", "nodes", "", "", "n"},
		{true, false, "create", "", "pods", "eviction", "a", ""},
		{true, false, "patch", volcano, "podgroups", "status", "a", ""},
		{true, false, "create", "", "serviceaccounts", "token", harness.Namespace,
			harness.SchedulersAccount},
		{false, false, "create", "", "serviceaccounts", "token", harness.Namespace,
			harness.ServiceAccount},
		{false, false, "create", "", "serviceaccounts", "token", "a", harness.SchedulersAccount},
		{false, false, "get", "", "secrets", "", harness.Namespace, ""},
		{false, false, "create", "", "pods", "", "a", ""},
	} {
		for _, by := range []struct {
			name   string
			client kubernetes.Interface
			want   bool
		}{{"berthd", berth, each.ofBerth}, {"kube-scheduler", kubeScheduler, each.ofKubeScheduler}} {
			review, err := by.client.AuthorizationV1().SelfSubjectAccessReviews().Create(e.Context,
				&authorization.SelfSubjectAccessReview{
					Spec: authorization.SelfSubjectAccessReviewSpec{
						ResourceAttributes: &authorization.ResourceAttributes{
							Verb: each.verb, Group: each.group, Resource: each.resource,
							Subresource: each.subresource, Namespace: each.space, Name: each.object,
						}}}, meta.CreateOptions{})
			e.Must(err)
			if review.Status.Allowed != by.want {
				t.Errorf("%s, %+v: allowed is %t", by.name, each, review.Status.Allowed)
			}
		}
	}
}

func schedulersAccount() *core.ServiceAccount {
	return &core.ServiceAccount{ObjectMeta: meta.ObjectMeta{
		Namespace: harness.Namespace, Name: harness.SchedulersAccount}}
}

// removeSchedulersAccount deletes it until the end of the test. Its roles stay.
func removeSchedulersAccount(e *harness.Env) {
	e.Helper()
	accounts := e.Client.CoreV1().ServiceAccounts(harness.Namespace)
	e.Must(accounts.Delete(e.Context, harness.SchedulersAccount, meta.DeleteOptions{}))
	e.Cleanup(func() {
		_, err := accounts.Create(e.Context, schedulersAccount(), meta.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			e.Error(err)
		}
	})
}

func restoreSchedulersAccount(e *harness.Env) {
	e.Helper()
	_, err := e.Client.CoreV1().ServiceAccounts(harness.Namespace).Create(e.Context,
		schedulersAccount(), meta.CreateOptions{})
	e.Must(err)
}

// VIEW-13: a token that the API server does not take any more is replaced. Until then requests fail,
// and none goes on with other rights.
func TestATokenThatIsRefusedIsReplaced(t *testing.T) {
	e, proxy := beginBehindProxy(t)
	e.AddNodes(2, "4")
	e.CreateGang("first", 6, 6, cpu("1"))
	e.AwaitBound("first", 6, harness.Soon)
	hold := proxy.Hold(harness.TokenAsked, 0)
	removeSchedulersAccount(e)
	restoreSchedulersAccount(e) // another uid
	e.Await(harness.Soon, func() error {
		pods, groups := askAs(e, e.Berth.View.Config())
		if groups == nil || apierrors.IsUnauthorized(pods) {
			e.Fatalf("pods %v, groups %v", pods, groups)
		}
		if pods == nil {
			return errors.New("the API server takes the token of an account that is gone")
		}
		return nil
	})
	await(t, hold)
	if err := e.Berth.Ready(e.Context); err == nil {
		t.Error("berthd is ready without a token that counts")
	}
	hold.Release()
	e.Must(e.Berth.AwaitReady(e.Context))
	if tokens, err := e.Berth.Metric(e.Context, "berth_view_tokens_total"); err != nil || tokens < 2 {
		t.Errorf("%v tokens, %v", tokens, err)
	}
	e.CreateGang("second", 2, 2, cpu("1"))
	e.AwaitBound("second", 2, harness.Soon)
}

// VIEW-13: without the account berthd is not ready and says so; nothing passes. It needs no restart.
func TestWithoutKubeSchedulersAccountNothingPasses(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.Must(e.StopBerth())
	removeSchedulersAccount(e)
	e.Must(e.Berth.Start(e.Context))
	e.Await(harness.Soon, func() error {
		err := e.Berth.Ready(e.Context)
		const words = `serviceaccounts "berth-kube-scheduler" not found`
		if err == nil {
			e.Fatal("berthd is ready without the account")
		}
		if !strings.Contains(err.Error(), words) {
			return fmt.Errorf("%q does not have %q", err, words)
		}
		return nil
	})
	pods, groups := askAs(e, e.Berth.View.Config())
	for what, err := range map[string]error{"pods": pods, "groups": groups} {
		if !apierrors.IsServiceUnavailable(err) {
			t.Errorf("%s: %v, expected 503", what, err)
		}
	}
	restoreSchedulersAccount(e)
	e.Must(e.Berth.AwaitReady(e.Context))
	e.AddNodes(1, "8")
	e.CreateGang("gang", 6, 6, cpu("1"))
	e.AwaitBound("gang", 6, 2*harness.Soon)
}

// kube-scheduler knows callers of its own port by the API server, which it asks through the view.
func TestKubeSchedulersMetricsAreForWhoMayReadThem(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	token, err := e.Token(harness.ServiceAccount)
	e.Must(err)
	for name, each := range map[string]struct {
		token string
		want  int
	}{"no token of the cluster": {"x", http.StatusUnauthorized},
		"an account without the right": {token, http.StatusForbidden}} {
		status, err := e.Scheduler.Metrics(e.Context, each.token)
		e.Must(err)
		if status != each.want {
			t.Errorf("%s: %d, expected %d", name, status, each.want)
		}
	}
}

func makeViewKey(t *testing.T, directory string) {
	t.Helper()
	output, err := exec.Command(os.Getenv("BERTHD_BINARY"), "--make-view-key", directory).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

// An init container makes the key, so that kube-scheduler finds it whatever starts first.
func TestTheKeyOfTheViewIsMadeOnce(t *testing.T) {
	if !cluster.HasBerth() {
		t.Fatal(harness.LacksBerthd)
	}
	directory := t.TempDir()
	read := func() map[string]string {
		makeViewKey(t, directory)
		found := map[string]string{}
		for _, name := range []string{"view.crt", "view.key"} {
			text, err := os.ReadFile(filepath.Join(directory, name))
			if err != nil {
				t.Fatal(err)
			}
			found[name] = string(text)
		}
		return found
	}
	first := read()
	if second := read(); !equality.Semantic.DeepEqual(first, second) {
		t.Error("the key was made anew")
	}
	stat, err := os.Stat(filepath.Join(directory, "view.key"))
	if err != nil || stat.Mode().Perm()&0o007 != 0 {
		t.Errorf("others may read the key: %v, %v", stat.Mode(), err)
	}
}
