package harness

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"
)

// ProbeTimeout is how long a replica may take to say that it is ready.
const ProbeTimeout = 300 * time.Millisecond

// Service forwards connections to the replica that is ready, as a Service of Kubernetes does; a
// connection that is open stays with its replica. Any goroutine.
type Service struct {
	Address  string
	listener net.Listener
	replicas []*Berth
}

// StartService listens until Stop.
func StartService(replicas ...*Berth) (*Service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("service: %w", err)
	}
	s := &Service{Address: listener.Addr().String(), listener: listener, replicas: replicas}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(connection.(*net.TCPConn))
		}
	}()
	return s, nil
}

// Stop ends the service; open connections end with their peers.
func (s *Service) Stop() { _ = s.listener.Close() }

// Leader is the replica that is ready, or nil.
func (s *Service) Leader(ctx context.Context) *Berth {
	for _, replica := range s.replicas {
		probe, cancel := context.WithTimeout(ctx, ProbeTimeout)
		err := replica.Ready(probe)
		cancel()
		if err == nil {
			return replica
		}
	}
	return nil
}

// serve refuses when nobody is ready, as a Service without endpoints does.
func (s *Service) serve(client *net.TCPConn) {
	defer client.Close()
	leader := s.Leader(context.Background())
	if leader == nil {
		_ = client.SetLinger(0)
		return
	}
	dialled, err := net.Dial("tcp", leader.Address)
	if err != nil {
		return
	}
	server := dialled.(*net.TCPConn)
	defer server.Close()
	done := make(chan struct{}, 2)
	forward := func(to, from *net.TCPConn) {
		_, _ = io.Copy(to, from)
		_ = to.CloseWrite()
		done <- struct{}{}
	}
	go forward(server, client)
	go forward(client, server)
	<-done
	<-done
}
