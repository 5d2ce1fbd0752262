package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// pod says who answers.
type pod struct{ Name, Namespace, Node string }

func whoami() pod {
	host, _ := os.Hostname()
	return pod{
		Name:      setting("NAME", setting("POD_NAME", host)),
		Namespace: os.Getenv("POD_NAMESPACE"),
		Node:      os.Getenv("NODE_NAME"),
	}
}

// answer is the request as it arrived. Header names are lower-case, repeated headers joined by ", ".
type answer struct {
	Backend     string            `json:"backend"`
	Namespace   string            `json:"namespace,omitempty"`
	Node        string            `json:"node,omitempty"`
	Method      string            `json:"method"`
	URL         string            `json:"url"`
	Host        string            `json:"host"`
	Headers     map[string]string `json:"headers"`
	HTTPVersion string            `json:"httpVersion"`
	Body        string            `json:"body"`
	TLS         bool              `json:"tls"`
	ServerName  string            `json:"serverName,omitempty"`
	Remote      string            `json:"remote"`
}

type echo struct{ pod pod }

// ServeHTTP echoes. Three query parameters change the answer: echo-status (a number), echo-delay (a duration before
// the answer), echo-bytes (that many bytes instead of the JSON).
func (e echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Backend", e.pod.Name)
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		echoWebSocket(w, r, e.pod)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	query := r.URL.Query()
	if delay, err := time.ParseDuration(query.Get("echo-delay")); err == nil {
		time.Sleep(delay)
	}
	status := http.StatusOK
	if asked, err := strconv.Atoi(query.Get("echo-status")); err == nil && asked >= 200 && asked <= 599 {
		status = asked
	}
	if size, err := strconv.ParseInt(query.Get("echo-bytes"), 10, 64); err == nil && size >= 0 {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		w.WriteHeader(status)
		io.CopyN(w, zeros{}, size)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(e.describe(r, body))
}

func (e echo) describe(r *http.Request, body []byte) answer {
	headers := make(map[string]string, len(r.Header))
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	described := answer{
		Backend: e.pod.Name, Namespace: e.pod.Namespace, Node: e.pod.Node,
		Method: r.Method, URL: r.RequestURI, Host: r.Host, Headers: headers,
		HTTPVersion: strings.TrimPrefix(r.Proto, "HTTP/"),
		Body:        string(body), TLS: r.TLS != nil, Remote: r.RemoteAddr,
	}
	if r.TLS != nil {
		described.ServerName = r.TLS.ServerName
	}
	return described
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
