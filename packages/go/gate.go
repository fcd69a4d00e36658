package latchkey

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	decisionTimeout = 5 * time.Second
	// The limit of a decision: a caller has few permissions.
	decisionMaxBytes = 8 << 20
)

// Headers that a gate reads. Others, such as those of another service, never leave the application. From the last five,
// frameworks read another method or path, so the gate refuses requests that have one.
var readHeaders = []string{"accept", "access-control-request-headers", "access-control-request-method", "authorization",
	"content-digest", "cookie", "dpop", "origin", "upgrade", "x-api-key",
	"x-app-id", "x-nonce", "x-signature", "x-tenant-id", "x-timestamp", "x-http-method-override", "x-http-method",
	"x-method-override", "x-original-url", "x-rewrite-url"}

// Headers of a refusal that the caller needs.
var refusalHeaders = []string{"Access-Control-Allow-Credentials", "Access-Control-Allow-Origin",
	"Access-Control-Expose-Headers", "Content-Type", "Latchkey-Reason", "Latchkey-Refusal", "Latchkey-Request-Id", "Location",
	"Retry-After", "Vary", "Www-Authenticate"}

// Caller sent a request that may pass. The zero Caller has no permission.
type Caller struct {
	// Kind is public, partner, person, or program.
	Kind string
	// ID is empty for public.
	ID, Name string
	// Through is the program that uses the token of a person.
	Through     string
	Permissions []string
	// Chain is empty unless a program acts for the person: then that program, and the one at which the person signed in.
	Chain []string
	// IsTest reports that a test client sent the request, which must have no real effect.
	IsTest bool
}

// Permits reports whether the permissions of the caller cover the needed one.
func (c Caller) Permits(needed string) bool { return Permits(c.Permissions, needed) }

// Gate asks the gate of an application about each request.
type Gate struct {
	// URL is the base URL of the service, such as https://auth.example.com.
	URL           string
	ApplicationID string
	// Key is used as displayed, including gk_.
	Key string
	// Origin returns the IP address of the caller and "http" or "https"; nil uses those of the connection. Behind a proxy,
	// read them from headers that only the proxy sets.
	Origin func(*http.Request) (ip, scheme string)
	// Report receives the reason if the gate could not decide; nil is log.Print.
	Report func(error)
	// Transport sends the requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
}

// String omits the key.
func (g Gate) String() string { return "latchkey.Gate(" + g.ApplicationID + ")" }

// GoString omits the key.
func (g Gate) GoString() string { return g.String() }

type refusal struct {
	status int
	header http.Header
	body   []byte
}

// Middleware runs the handler only for requests that may pass; CallerOf returns their caller. A request is refused with 503
// if the gate cannot decide, and with 413 if its body exceeds 1 MiB.
func (g *Gate) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(r)
		if err == ErrBodyTooLarge {
			w.Header().Set("Connection", "close")
			refuse(http.StatusRequestEntityTooLarge, "request.too_large", "the body exceeds 1 MiB").send(w)
			return
		}
		if err != nil {
			refuse(http.StatusBadRequest, "request.malformed", "the body is incomplete").send(w)
			return
		}
		caller, refused := g.decide(r, body)
		if refused != nil {
			refused.send(w)
			return
		}
		admitted := r.WithContext(context.WithValue(r.Context(), callerKey{}, caller))
		admitted.Body, admitted.ContentLength, admitted.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		next.ServeHTTP(w, admitted)
	})
}

type callerKey struct{}

// CallerOf returns the caller of a request that a gate let pass, or the zero Caller.
func CallerOf(r *http.Request) Caller {
	caller, _ := r.Context().Value(callerKey{}).(Caller)
	return caller
}

// RequirePermission returns middleware that runs the handler only for callers with the permission. Use it behind a Gate.
func RequirePermission(needed string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if CallerOf(r).Permits(needed) {
				next.ServeHTTP(w, r)
				return
			}
			refused := refuse(http.StatusForbidden, "scope.missing", "this requires the permission "+needed)
			refused.header.Set("WWW-Authenticate", fmt.Sprintf("Bearer error=%q, scope=%q", "insufficient_scope", needed))
			refused.send(w)
		})
	}
}

func (g *Gate) decide(r *http.Request, body []byte) (Caller, *refusal) {
	caller, refused, err := g.ask(r, body)
	if err == nil {
		return caller, refused
	}
	if g.Report != nil {
		g.Report(err)
	} else {
		log.Print("latchkey: ", err)
	}
	unavailable := refuse(http.StatusServiceUnavailable, "service.unavailable", "the gate is unavailable")
	unavailable.header.Set("Retry-After", "5")
	return Caller{}, unavailable
}

func (g *Gate) ask(r *http.Request, body []byte) (Caller, *refusal, error) {
	digest := sha256.Sum256(body)
	ip, scheme := g.origin(r)
	question, err := json.Marshal(map[string]any{
		"method": r.Method, "target": r.RequestURI, "scheme": scheme, "ip": ip,
		"headers": headersOf(r.Header), "body_sha256": hex.EncodeToString(digest[:]),
	})
	if err != nil {
		return Caller{}, nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), decisionTimeout)
	defer cancel()
	url := strings.TrimSuffix(g.URL, "/") + "/gate/" + g.ApplicationID + "/verify"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(question))
	if err != nil {
		return Caller{}, nil, err
	}
	request.Header.Set("Accept", "application/problem+json")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Gate-Key", g.Key)
	transport := g.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	// A transport follows no redirects, which would send the key of the gate elsewhere.
	response, err := transport.RoundTrip(request)
	if err != nil {
		return Caller{}, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, decisionMaxBytes))
	if err != nil {
		return Caller{}, nil, err
	}
	return decision(response, text)
}

func decision(response *http.Response, text []byte) (Caller, *refusal, error) {
	status, code := response.StatusCode, response.Header.Get("Latchkey-Refusal")
	if status == http.StatusOK {
		var known struct {
			Data struct {
				Allowed     bool
				Caller      *Caller
				Permissions []string
			}
		}
		if err := json.Unmarshal(text, &known); err != nil {
			return Caller{}, nil, err
		}
		if !known.Data.Allowed || known.Data.Caller == nil {
			return Caller{}, nil, fmt.Errorf("the gate sent no decision")
		}
		caller := *known.Data.Caller
		caller.Permissions = known.Data.Permissions
		caller.IsTest = response.Header.Get("Latchkey-Mode") == "test"
		return caller, nil, nil
	}
	// A wrong gate key is not the caller's mistake.
	if status < 400 || code == "" || code == "gate.key" {
		return Caller{}, nil, fmt.Errorf("the gate responded with %d %s", status, code)
	}
	refused := &refusal{status, http.Header{"Cache-Control": {"no-store"}}, text}
	for _, name := range refusalHeaders {
		// The gate sends "-" for a header without a value.
		if value := response.Header.Get(name); value != "" && value != "-" {
			refused.header.Set(name, value)
		}
	}
	return Caller{}, refused, nil
}

func (g *Gate) origin(r *http.Request) (ip, scheme string) {
	if g.Origin != nil {
		return g.Origin(r)
	}
	ip, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		ip = r.RemoteAddr
	}
	if r.TLS != nil {
		return ip, "https"
	}
	return ip, "http"
}

// headersOf joins repeated headers: they become a value that is not a valid proof.
func headersOf(header http.Header) map[string]string {
	found := map[string]string{}
	for _, name := range readHeaders {
		if values := header.Values(name); len(values) > 0 {
			separator := ", "
			if name == "cookie" {
				separator = "; "
			}
			found[name] = strings.Join(values, separator)
		}
	}
	return found
}

// refuse returns a refusal in the form of the service.
func refuse(status int, code, detail string) *refusal {
	body, _ := json.Marshal(map[string]any{"status": status, "code": code, "detail": detail, "error": detail})
	header := http.Header{}
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "application/problem+json")
	header.Set("Latchkey-Refusal", code)
	return &refusal{status, header, body}
}

func (f *refusal) send(w http.ResponseWriter) {
	for name, values := range f.header {
		w.Header()[name] = values
	}
	w.WriteHeader(f.status)
	// The caller may be gone.
	_, _ = w.Write(f.body)
}
