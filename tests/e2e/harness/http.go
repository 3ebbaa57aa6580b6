package harness

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
)

// trusting is a transport that accepts servers with self-signed certificates on loopback.
func trusting(authority *Authority) *http.Transport {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority.PEM)
	// kube-scheduler signs its own certificate, and nobody else is on loopback.
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, InsecureSkipVerify: true}}
}

func getOK(ctx context.Context, client *http.Client, url string) error {
	_, err := get(ctx, client, url)
	return err
}

func get(ctx context.Context, client *http.Client, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s: %.300s", url, response.Status, body)
	}
	return string(body), nil
}
