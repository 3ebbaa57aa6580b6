package harness

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// Proxy stands between a berthd and the API server, or between kube-scheduler and the extender of a
// berthd. It can hold requests, lose answers, and freeze watches, so that a test meets each step of a
// gang's life. In mode view the requests of kube-scheduler to the API server pass through the first
// kind, too. Any goroutine.
type Proxy struct {
	URL       string
	token     string
	authority []byte
	server    *http.Server
	upstream  *http.Transport

	mutex  sync.Mutex
	holds  []*Hold
	writes map[string]int // by what is written
}

// Kind of request, by method and path, and by who sends it: all, kube-scheduler, or all others.
type Kind struct {
	method, path *regexp.Regexp
	sender       sender
}

type sender int

const (
	everybody sender = iota
	kubeScheduler
	allButKubeScheduler
)

func (k Kind) matches(request *http.Request) bool {
	return k.method.MatchString(request.Method) && k.path.MatchString(request.URL.Path) &&
		(k.sender == everybody || (k.sender == kubeScheduler) == isFromKubeScheduler(request))
}

func isFromKubeScheduler(request *http.Request) bool {
	return strings.HasPrefix(request.UserAgent(), "kube-scheduler/")
}

// OfKubeScheduler are the requests of this kind that a kube-scheduler sends.
func (k Kind) OfKubeScheduler() Kind { k.sender = kubeScheduler; return k }

// OfOthers are the requests of this kind that no kube-scheduler sends.
func (k Kind) OfOthers() Kind { k.sender = allButKubeScheduler; return k }

func kind(method, path string) Kind {
	return Kind{method: regexp.MustCompile("^" + method + "$"), path: regexp.MustCompile(path + "$")}
}

// The writes by which berthd steers, those of a kube-scheduler, two watches, and a call of the extender.
var (
	Nominations = kind("PATCH", `/api/v1/namespaces/[^/]+/pods/[^/]+/status`)
	Commits     = kind("PATCH", `/api/v1/namespaces/[^/]+/pods/[^/]+`)
	Bindings    = kind("POST", `/api/v1/namespaces/[^/]+/(pods/[^/]+/binding|bindings)`)
	NewGroups   = kind("POST", `/apis/scheduling\.[^/]+/[^/]+/namespaces/[^/]+/podgroups`)
	Statuses    = kind("PATCH", `/apis/scheduling\.[^/]+/[^/]+/namespaces/[^/]+/podgroups/[^/]+/status`)
	Evictions   = kind("POST", `/api/v1/namespaces/[^/]+/pods/[^/]+/eviction`)
	Events      = kind("(POST|PATCH)", `/apis/events.k8s.io/v1/namespaces/[^/]+/events(/[^/]+)?`)
	PodWatches  = kind("GET", `/api/v1/pods`)
	NodeWatches = kind("GET", `/api/v1/nodes`)
	TokenAsked  = kind("POST", `/api/v1/namespaces/[^/]+/serviceaccounts/[^/]+/token`)
	Leases      = kind("(PUT|PATCH)", `/apis/coordination.k8s.io/v1/namespaces/[^/]+/leases/[^/]+`)
	BindCalls   = kind("POST", `/commit/bind`)
)

// Hold stops requests of a kind, after a number that may pass.
type Hold struct {
	kind       Kind
	pass       int
	loseAnswer bool
	reached    chan struct{}
	released   chan struct{}
	abandoned  chan struct{}
	reach      sync.Once
	release    sync.Once
	abandon    sync.Once
}

// Reached is closed when the first request has been stopped, or the first answer lost.
func (h *Hold) Reached() <-chan struct{} { return h.reached }

// Release lets everything through that still waits. May be called again.
func (h *Hold) Release() { h.release.Do(func() { close(h.released) }) }

// Abandon drops what waits, as if it had been lost on its way, and lets later requests through.
func (h *Hold) Abandon() {
	h.abandon.Do(func() { close(h.abandoned) })
	h.Release()
}

func (h *Hold) isOver() bool {
	select {
	case <-h.released:
		return true
	default:
		return false
	}
}

// wait returns whether the request may go on.
func (h *Hold) wait(ctx context.Context) error {
	h.reach.Do(func() { close(h.reached) })
	select {
	case <-h.abandoned:
		return errors.New("abandoned")
	case <-h.released:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StartProxy serves until Stop; to the API server, a caller is the one that its token names.
func (c *ControlPlane) StartProxy() (*Proxy, error) { return c.startProxy(nil) }

// StartProxyAs serves until Stop; to the API server, everyone who calls the proxy is this user.
func (c *ControlPlane) StartProxyAs(user string, groups ...string) (*Proxy, error) {
	client, err := c.authority.Issue(user, groups...)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(client.Cert, client.Key)
	if err != nil {
		return nil, err
	}
	return c.startProxy([]tls.Certificate{pair})
}

func (c *ControlPlane) startProxy(identity []tls.Certificate) (*Proxy, error) {
	serving, err := c.authority.Issue("proxy")
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(serving.Cert, serving.Key)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(c.url)
	if err != nil {
		return nil, err
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		return nil, err
	}
	upstream := trusting(c.authority)
	upstream.TLSClientConfig.Certificates = identity
	upstream.DisableCompression = true
	upstream.MaxIdleConnsPerHost = 256
	p := serveProxy(listener, target, upstream)
	p.URL, p.authority = "https://"+listener.Addr().String(), c.authority.PEM
	if p.token, err = c.Token(ServiceAccount); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// StartProxyTo forwards plain HTTP to this address, such as that of a berthd's extender, until Stop.
func StartProxyTo(address string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := serveProxy(listener, &url.URL{Scheme: "http", Host: address}, &http.Transport{})
	p.URL = "http://" + listener.Addr().String()
	return p, nil
}

// Address is the host and port of the URL.
func (p *Proxy) Address() string { return p.URL[strings.LastIndex(p.URL, "/")+1:] }

func serveProxy(listener net.Listener, target *url.URL, upstream *http.Transport) *Proxy {
	p := &Proxy{upstream: upstream, writes: map[string]int{}}
	silent := log.New(io.Discard, "", 0)
	p.server = &http.Server{ErrorLog: silent, Handler: &httputil.ReverseProxy{
		Rewrite:       func(request *httputil.ProxyRequest) { request.SetURL(target) },
		Transport:     proxyTransport{p},
		FlushInterval: -1,
		ErrorLog:      silent,
	}}
	go func() { _ = p.server.Serve(listener) }()
	return p
}

// Client is a configuration that goes through the proxy, with berthd's token.
func (p *Proxy) Client() *rest.Config {
	return &rest.Config{Host: p.URL, BearerToken: p.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: p.authority}}
}

// Stop ends the proxy and every connection through it.
func (p *Proxy) Stop() {
	p.ReleaseAll()
	_ = p.server.Close()
	p.upstream.CloseIdleConnections()
}

// Hold stops requests of the kind after `pass` of them.
func (p *Proxy) Hold(kind Kind, pass int) *Hold { return p.add(kind, pass, false) }

// LoseAnswer carries requests of the kind out and, after `pass` of them, breaks the connection
// instead of answering.
func (p *Proxy) LoseAnswer(kind Kind, pass int) *Hold { return p.add(kind, pass, true) }

func (p *Proxy) add(kind Kind, pass int, loseAnswer bool) *Hold {
	hold := &Hold{kind: kind, pass: pass, loseAnswer: loseAnswer,
		reached: make(chan struct{}), released: make(chan struct{}),
		abandoned: make(chan struct{})}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.holds = append(p.holds, hold)
	return hold
}

// ReleaseAll ends all holds.
func (p *Proxy) ReleaseAll() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, hold := range p.holds {
		hold.Release()
	}
	p.holds = nil
}

// Writes counts what has been written so far, leases left out: "PATCH pods/status" and so on.
func (p *Proxy) Writes() map[string]int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return maps.Clone(p.writes)
}

var names = regexp.MustCompile(`^(/api/v1|/apis/[^/]+/[^/]+)/(namespaces/[^/]+/)?([^/]+)(/[^/]+)?`)

func (p *Proxy) count(request *http.Request) {
	if request.Method == http.MethodGet {
		return
	}
	what := request.Method + " " + names.ReplaceAllString(request.URL.Path, "$3")
	if !strings.HasSuffix(what, " leases") {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.writes[what]++
	}
}

// holdFor is the hold that stops this request, or nil.
func (p *Proxy) holdFor(request *http.Request) *Hold {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, hold := range p.holds {
		if !hold.isOver() && hold.kind.matches(request) {
			hold.pass--
			if hold.pass < 0 {
				return hold
			}
		}
	}
	return nil
}

type proxyTransport struct{ proxy *Proxy }

func (t proxyTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.proxy.count(request)
	hold := t.proxy.holdFor(request)
	if hold != nil && !hold.loseAnswer && !isWatch(request) {
		if err := hold.wait(request.Context()); err != nil {
			return nil, err
		}
	}
	response, err := t.proxy.upstream.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if hold != nil && hold.loseAnswer {
		response.Body.Close()
		hold.reach.Do(func() { close(hold.reached) })
		panic(http.ErrAbortHandler)
	}
	if isWatch(request) {
		response.Body = &freezable{response.Body, t.proxy, request}
	}
	return response, nil
}

func isWatch(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return watch == "true" || watch == "1"
}

// freezable is the stream of a watch: while a hold is on the kind, what arrives is kept back.
type freezable struct {
	io.ReadCloser
	proxy   *Proxy
	request *http.Request
}

func (f *freezable) Read(buffer []byte) (int, error) {
	count, err := f.ReadCloser.Read(buffer)
	if hold := f.proxy.holdFor(f.request); hold != nil && err == nil {
		if err := hold.wait(f.request.Context()); err != nil {
			return 0, err
		}
	}
	return count, err
}
