package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

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
