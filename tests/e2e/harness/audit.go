package harness

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// Audited is a request of berthd's account by the API server's audit log.
type Audited struct {
	Verb      string
	ObjectRef struct{ Resource, Subresource, Namespace, Name string }
	// What was sent: of a patch, the patch.
	RequestObject map[string]any
}

// What is the request in words: "patch nodes".
func (a Audited) What() string {
	if a.ObjectRef.Subresource == "" {
		return a.Verb + " " + a.ObjectRef.Resource
	}
	return a.Verb + " " + a.ObjectRef.Resource + "/" + a.ObjectRef.Subresource
}

// What a role cannot bound: which fields of nodes are written, and which PodGroups go. Nothing else
// is in the log.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Request
    users: ["system:serviceaccount:` + Namespace + `:` + ServiceAccount + `"]
    verbs: [create, update, patch, delete, deletecollection]
    resources: [{group: "", resources: [nodes, nodes/*, serviceaccounts/token]}]
  - level: Request
    users: ["system:serviceaccount:` + Namespace + `:` + ServiceAccount + `"]
    verbs: [create, delete, deletecollection]
    resources: [{group: scheduling.volcano.sh, resources: [podgroups]}]
  - level: None
`

func (c *ControlPlane) auditLog() string { return filepath.Join(c.Directory, "audit.log") }

// prepareAudit is the arguments of kube-apiserver.
func (c *ControlPlane) prepareAudit() ([]string, error) {
	policy := filepath.Join(c.Directory, "audit-policy.yaml")
	return []string{"--audit-policy-file=" + policy, "--audit-log-path=" + c.auditLog()},
		os.WriteFile(policy, []byte(auditPolicy), 0o600)
}

// AuditLog is what berthd's account has written since the API server was first started, in order:
// nodes, PodGroups that it has made or deleted, and tokens.
func (c *ControlPlane) AuditLog() ([]Audited, error) {
	text, err := os.ReadFile(c.auditLog())
	if err != nil {
		return nil, err
	}
	var all []Audited
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		var each Audited
		if err := json.Unmarshal(line, &each); err != nil {
			return nil, err
		}
		all = append(all, each)
	}
	return all, nil
}
