package harness

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	api "k8s.io/client-go/tools/clientcmd/api"
)

// Authority issues certificates for servers on 127.0.0.1 and for clients.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	PEM         []byte
}

// Pair is a certificate and its key.
type Pair struct{ Cert, Key []byte }

// NewAuthority makes a self-signed authority.
func NewAuthority() (*Authority, error) {
	template := certificateFor("berth-e2e", nil)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &Authority{certificate, key, text}, nil
}

// Issue makes a pair that serves as 127.0.0.1 and is a client called name, of these groups.
func (a *Authority) Issue(name string, groups ...string) (Pair, error) {
	template := certificateFor(name, groups)
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = []string{"localhost"}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

func certificateFor(name string, groups []string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: groups},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(48 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// Write puts the pair into NAME.crt and NAME.key.
func (p Pair) Write(directory, name string) (certFile, keyFile string, err error) {
	certFile = filepath.Join(directory, name+".crt")
	keyFile = filepath.Join(directory, name+".key")
	if err = os.WriteFile(certFile, p.Cert, 0o600); err == nil {
		err = os.WriteFile(keyFile, p.Key, 0o600)
	}
	return certFile, keyFile, err
}

// Secret is a directory as the kubelet mounts a Secret with a certificate: its files are links into
// a directory that a rotation replaces in one step.
type Secret struct {
	Directory string
	name      string
	authority *Authority
	version   int
}

// NewSecret has tls.crt and tls.key of that name, and ca.crt.
func (c *ControlPlane) NewSecret(directory, name string) (*Secret, error) {
	s := &Secret{Directory: directory, name: name, authority: c.authority}
	if err := s.Rotate(); err != nil {
		return nil, err
	}
	for _, file := range []string{"tls.crt", "tls.key", "ca.crt"} {
		if err := os.Symlink(filepath.Join("..data", file), filepath.Join(directory, file)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Rotate issues another certificate.
func (s *Secret) Rotate() error {
	s.version++
	fresh := fmt.Sprintf("..v%d", s.version)
	if err := os.Mkdir(filepath.Join(s.Directory, fresh), 0o700); err != nil {
		return err
	}
	pair, err := s.authority.Issue(s.name)
	if err != nil {
		return err
	}
	for file, text := range map[string][]byte{
		"tls.crt": pair.Cert, "tls.key": pair.Key, "ca.crt": s.authority.PEM} {
		if err := os.WriteFile(filepath.Join(s.Directory, fresh, file), text, 0o600); err != nil {
			return err
		}
	}
	next := filepath.Join(s.Directory, "..next")
	if err := os.Symlink(fresh, next); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(s.Directory, "..data"))
}

func restConfig(url string, authority *Authority, pair Pair) *rest.Config {
	return &rest.Config{
		Host: url,
		TLSClientConfig: rest.TLSClientConfig{
			CAData: authority.PEM, CertData: pair.Cert, KeyData: pair.Key,
		},
		QPS: 5000, Burst: 10000,
	}
}

func (p Pair) user() *api.AuthInfo {
	return &api.AuthInfo{ClientCertificateData: p.Cert, ClientKeyData: p.Key}
}

// ContextName is the only context of the kubeconfig files that the harness writes.
const ContextName = "e2e"

func writeKubeconfig(path, url string, authority *Authority, user *api.AuthInfo) error {
	return clientcmd.WriteToFile(api.Config{
		Clusters: map[string]*api.Cluster{
			"e2e": {Server: url, CertificateAuthorityData: authority.PEM},
		},
		AuthInfos:      map[string]*api.AuthInfo{"e2e": user},
		Contexts:       map[string]*api.Context{ContextName: {Cluster: "e2e", AuthInfo: "e2e"}},
		CurrentContext: ContextName,
	}, path)
}

// CreateCertificate makes a Secret in Berth's namespace with a certificate for a server.
func (c *ControlPlane) CreateCertificate(ctx context.Context, name string) error {
	pair, err := c.authority.Issue(name)
	if err != nil {
		return err
	}
	_, err = c.Client.CoreV1().Secrets(Namespace).Create(ctx, &core.Secret{
		ObjectMeta: meta.ObjectMeta{Name: name}, Type: core.SecretTypeTLS,
		Data: map[string][]byte{core.TLSCertKey: pair.Cert, core.TLSPrivateKeyKey: pair.Key,
			"ca.crt": c.authority.PEM},
	}, meta.CreateOptions{})
	return err
}
