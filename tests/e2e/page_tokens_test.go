package e2e

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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

// tokenPages is a berthd whose pages are for holders of a certificate and bearers of tokens, and
// the file of its authority.
func tokenPages(e *harness.Env) (*harness.Berth, string) {
	e.Helper()
	e.Must(e.StopBerth())
	server, err := e.NewSecret(e.TempDir(), "berthd")
	e.Must(err)
	settings := block(e, "tls-of-the-extender", "/etc/berth-tls", server.Directory)
	settings["pages"] = settings["extender"]
	berth, err := e.Replica(harness.BerthOptions{Name: "berthd-tokens", Configuration: settings,
		HasTLS: true})
	e.Must(err)
	e.Cleanup(berth.Kill)
	e.Show(berth.Process, 30)
	e.Must(berth.Start(e.Context))
	e.Must(berth.AwaitReady(e.Context))
	return berth, filepath.Join(server.Directory, "ca.crt")
}

// Whoever the API server knows and lets get the page has it; the certificate is not needed.
func TestPagesAreForBearersOfTokensThatMay(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	berth, authority := tokenPages(e)
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
			authority+" --token-file "+each.token)
		if (err == nil) != each.mayGet || !strings.Contains(answer, each.says) {
			t.Errorf("with %s: %v\n%s\nexpected %q", each.token, err, answer, each.says)
		}
	}
}

// ending changes when a token of a service account ends, and signs it as the API server does.
func ending(e *harness.Env, file string, at time.Time) string {
	e.Helper()
	text, err := os.ReadFile(file)
	e.Must(err)
	parts := strings.Split(strings.TrimSpace(string(text)), ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	e.Must(err)
	var claims map[string]any
	e.Must(json.Unmarshal(payload, &claims))
	claims["exp"] = at.Unix()
	for _, begin := range []string{"iat", "nbf"} {
		claims[begin] = at.Add(-time.Hour).Unix()
	}
	payload, err = json.Marshal(claims)
	e.Must(err)
	signed := parts[0] + "." + base64.RawURLEncoding.EncodeToString(payload)
	key, err := tls.LoadX509KeyPair(filepath.Join(e.Directory, "apiserver.crt"),
		filepath.Join(e.Directory, "apiserver.key"))
	e.Must(err)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key.PrivateKey.(*ecdsa.PrivateKey), digest[:])
	e.Must(err)
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	changed := filepath.Join(e.TempDir(), "token")
	e.Must(os.WriteFile(changed,
		[]byte(signed+"."+base64.RawURLEncoding.EncodeToString(signature)), 0o600))
	return changed
}

// A user without a browser's certificate brings the page of an encrypted berthd to a browser.
func TestBerthPageBringsWhatTheBearerMaySee(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	berth, authority := tokenPages(e)
	person := e.User("ada", "view")
	for account, each := range map[string]struct {
		role   string
		status int
	}{"reader": {"berth-page", http.StatusOK}, "stranger": {"", http.StatusForbidden}} {
		page := person.Command(e.Context, "exec berth page --port 0 --server "+berth.Pages+" --tls-ca "+
			authority+" --token-file "+tokenOf(e, account, each.role))
		output, err := page.StdoutPipe()
		e.Must(err)
		e.Must(page.Start())
		line, err := bufio.NewReader(output).ReadString('\n')
		e.Must(err)
		address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/page/`).FindString(line)
		response, err := http.Get(address + "state")
		e.Must(err)
		text, err := io.ReadAll(response.Body)
		e.Must(err)
		response.Body.Close()
		if response.StatusCode != each.status {
			t.Errorf("%s: %s: %.300s, expected %d", account, response.Status, text, each.status)
		}
		e.Must(page.Process.Signal(os.Interrupt))
		if err := page.Wait(); err != nil {
			t.Errorf("berth page after an interrupt: %v", err)
		}
	}
}

// pageReader asks for the state of the page with a token, as a browser behind a proxy does.
type pageReader struct {
	e         *harness.Env
	url       string
	authority []byte
}

// state is the answer for the bearer of the token in the file; "" is without one.
func (r pageReader) state(file string) (status int, body string) {
	r.e.Helper()
	request, err := http.NewRequestWithContext(r.e.Context, http.MethodGet, r.url+"/page/state", nil)
	r.e.Must(err)
	if file != "" {
		token, err := os.ReadFile(file)
		r.e.Must(err)
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(r.authority)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	response, err := client.Do(request)
	r.e.Must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	r.e.Must(err)
	return response.StatusCode, string(text)
}

// maySee lets the service account of this test's namespace get the pod groups of a namespace.
func maySee(e *harness.Env, account, namespace string) {
	e.Helper()
	_, err := e.Client.RbacV1().RoleBindings(namespace).Create(e.Context, &rbac.RoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: account},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "berth-view"},
		Subjects: []rbac.Subject{{Kind: rbac.ServiceAccountKind, Name: account,
			Namespace: e.Namespace}}}, meta.CreateOptions{})
	e.Must(err)
}

// A user of one namespace sees nothing of the names of another.
func TestThePageShowsNamesByNamespace(t *testing.T) {
	e := cluster.BeginWithBerth(t, harness.BerthOptions{})
	e.AddNodes(1, "12")
	plain := func(pod harness.PodBuilder) harness.PodBuilder { return pod }
	e.CreateGang("apple", 9, 9, plain)
	e.AwaitBound("apple", 9, harness.Soon)
	berth, authority := tokenPages(e)
	reader := pageReader{e: e, url: berth.Pages}
	var err error
	reader.authority, err = os.ReadFile(authority)
	e.Must(err)

	other := e.Namespace + "-other"
	_, err = e.Client.CoreV1().Namespaces().Create(e.Context,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: other}}, meta.CreateOptions{})
	e.Must(err)
	e.Cleanup(func() { e.Must(e.ClearNamespace(context.Background(), other)) })
	e.CreateObject(harness.NewPodGroup(other, "pear", 9))
	e.Create(harness.Members(other, "pear", 9, plain)...)

	all := tokenOf(e, "all", "berth-pages")
	ours := tokenOf(e, "ours", "berth-page")
	maySee(e, "ours", e.Namespace)
	theirs := tokenOf(e, "theirs", "berth-page")
	maySee(e, "theirs", other)
	nobody := tokenOf(e, "nobody", "berth-page")
	for _, each := range []struct {
		token        string
		shows, hides []string
	}{
		{all, []string{e.Namespace + "/apple", other + "/pear", "nodes fit " + other + "/pear-"}, nil},
		{ours, []string{e.Namespace + "/apple", "a job of another namespace"},
			[]string{"pear", other}},
		{theirs, []string{"nodes fit " + other + "/pear-", "a job of another namespace"},
			[]string{"apple"}},
		{nobody, []string{"a job of another namespace"}, []string{"apple", "pear", other}},
	} {
		e.Await(40*time.Second, func() error {
			status, body := reader.state(each.token)
			for _, words := range each.shows {
				if status != http.StatusOK || !strings.Contains(body, words) {
					return fmt.Errorf("%s: %d without %q: %.2000s", each.token, status, words, body)
				}
			}
			return nil
		})
		_, body := reader.state(each.token)
		for _, words := range each.hides {
			if strings.Contains(body, words) {
				t.Errorf("%s: the page shows %q: %s", each.token, words, body)
			}
		}
	}

	gone := tokenOf(e, "gone", "berth-page")
	e.Must(e.Client.CoreV1().ServiceAccounts(e.Namespace).Delete(e.Context, "gone",
		meta.DeleteOptions{}))
	unknown := filepath.Join(t.TempDir(), "token")
	e.Must(os.WriteFile(unknown, []byte("nobody's"), 0o600))
	for token, expected := range map[string]int{"": 403, unknown: 401, gone: 401,
		tokenOf(e, "stranger", ""): 403, ending(e, all, time.Now().Add(-time.Minute)): 401,
		ending(e, all, time.Now().Add(time.Minute)): 200} {
		if status, body := reader.state(token); status != expected {
			t.Errorf("with token %q: %d %.300s, expected %d", token, status, body, expected)
		}
	}
}
