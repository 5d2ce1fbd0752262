// Command echo is the backend of the cluster tests. It answers every request with what arrived, as JSON, and says
// which pod it is.
//
// The environment says how it behaves (durations as Go writes them, "1.5s"):
//
//	NAME          how it calls itself; default: POD_NAME, else the host name
//	POD_NAME, POD_NAMESPACE, NODE_NAME   told in every answer
//	PORT          HTTP/1.1 and HTTP/2 in plain text; default 8080
//	TLS_PORT      the same by TLS, with TLS_CERTIFICATE and TLS_KEY (files); absent: none
//	TCP_PORT      answers each line with "NAME: line"; absent: none
//	UDP_PORT      answers each datagram with "NAME: datagram"; absent: none
//	START_DELAY   listens only after that
//	CRASH_AFTER   ends with exit code 1 after that
//	LAME_DUCK     keeps accepting for that long after SIGTERM, unready; default 5s
//	DRAIN         then lets open requests go on for at most that long; default 20s
//
// Called as "echo get URL" it is a client instead, for use by kubectl exec.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "get" {
		os.Exit(get(os.Args[2]))
	}
	log.SetFlags(log.LUTC | log.Ldate | log.Lmicroseconds)
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	pause(stop, duration("START_DELAY", 0))
	if after := duration("CRASH_AFTER", 0); after > 0 {
		time.AfterFunc(after, func() { log.Fatalf("crashing as asked after %s", after) })
	}

	pod := whoami()
	var leaving atomic.Bool
	server := newServer(pod, &leaving)
	serve(server, pod)
	log.Printf("%s serves", pod.Name)

	<-stop.Done()
	leaving.Store(true)
	log.Printf("asked to end; accepting for %s more", duration("LAME_DUCK", 5*time.Second))
	time.Sleep(duration("LAME_DUCK", 5*time.Second))
	drain, done := context.WithTimeout(context.Background(), duration("DRAIN", 20*time.Second))
	defer done()
	if err := server.Shutdown(drain); err != nil {
		log.Printf("open requests were cut: %v", err)
	}
}

// newServer speaks HTTP/1.1 and HTTP/2, with and without TLS, on whatever listener it is given.
func newServer(pod pod, leaving *atomic.Bool) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if leaving.Load() {
			http.Error(w, "leaving", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("/", echo{pod})
	return &http.Server{Handler: mux, Protocols: protocols, IdleTimeout: 75 * time.Second}
}

func serve(server *http.Server, pod pod) {
	plain := listen(setting("PORT", "8080"))
	go func() { fatal(server.Serve(plain)) }()
	if port := os.Getenv("TLS_PORT"); port != "" {
		secure := listen(port)
		go func() { fatal(server.ServeTLS(secure, os.Getenv("TLS_CERTIFICATE"), os.Getenv("TLS_KEY"))) }()
	}
	if port := os.Getenv("TCP_PORT"); port != "" {
		go echoLines(listen(port), pod)
	}
	if port := os.Getenv("UDP_PORT"); port != "" {
		go echoDatagrams(port, pod)
	}
}

// pause waits, but not past a request to end.
func pause(stop context.Context, wait time.Duration) {
	select {
	case <-time.After(wait):
	case <-stop.Done():
		os.Exit(0)
	}
}

func duration(name string, otherwise time.Duration) time.Duration {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	value, err := time.ParseDuration(text)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return value
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
