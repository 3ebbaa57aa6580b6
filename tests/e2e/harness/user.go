package harness

import (
	"path/filepath"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// User is a person whose kubectl uses this test's namespace. To the API server the person is a user
// with no rights but those that were granted.
type User struct {
	Person
	Config *rest.Config
	Client kubernetes.Interface
}

// User makes a person of these groups; `role` is a ClusterRole that holds in this test's namespace, ""
// is none.
func (e *Env) User(name, role string, groups ...string) *User {
	e.Helper()
	pair, err := e.authority.Issue(name, groups...)
	e.Must(err)
	programs, err := e.commands()
	e.Must(err)
	user := &User{Config: restConfig(e.url, e.authority, pair), Person: Person{Name: name, t: e.TB,
		commands: programs, directory: Repository(),
		Kubeconfig: filepath.Join(e.TempDir(), name+".kubeconfig")}}
	user.Client, err = kubernetes.NewForConfig(user.Config)
	e.Must(err)
	e.Must(clientcmd.WriteToFile(api.Config{
		Clusters: map[string]*api.Cluster{
			"e2e": {Server: e.url, CertificateAuthorityData: e.authority.PEM},
		},
		AuthInfos: map[string]*api.AuthInfo{name: pair.user()},
		Contexts: map[string]*api.Context{
			ContextName: {Cluster: "e2e", AuthInfo: name, Namespace: e.Namespace},
		},
		CurrentContext: ContextName,
	}, user.Kubeconfig))
	if role != "" {
		e.bind(name, role)
	}
	return user
}

func (e *Env) bind(user, role string) {
	e.Helper()
	_, err := e.Client.RbacV1().RoleBindings(e.Namespace).Create(e.Context, &rbac.RoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: user + "-" + role},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "User", Name: user}},
	}, meta.CreateOptions{})
	if !errors.IsAlreadyExists(err) { // a namespace that another test has had
		e.Must(err)
	}
}
