package latchkey

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
)

type gateVectors struct {
	Gate struct {
		Asked []struct {
			ID, Method, Target, Scheme, IP string
			Headers                        [][2]string
			Body_base64                    string
			Sent                           map[string]any
		}
		Decided []struct {
			ID       string
			Response struct {
				Status  int
				Headers map[string]string
				Body    string
			}
			Caller *struct {
				Kind, ID, Name, Through string
				Permissions, Chain      []string
				Is_test                 bool
			}
			Refusal struct {
				Status  int
				Headers map[string]string
			}
		}
	}
}

func readGateVectors(t *testing.T) gateVectors {
	text, err := os.ReadFile(vectorsPath())
	if err != nil {
		t.Fatal(err)
	}
	var known gateVectors
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	if len(known.Gate.Asked)+len(known.Gate.Decided) < 40 {
		t.Fatal("too few known answers")
	}
	return known
}

// service is a server on loopback that plays the service.
type service struct {
	*httptest.Server
	respond  http.HandlerFunc
	requests []*http.Request
	bodies   [][]byte
}

func startService(t *testing.T) *service {
	s := &service{respond: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":{"allowed":true,"caller":{"kind":"partner","id":"p1","name":"Buyer","through":null},"permissions":["orders:read"],"rule":0}}`)
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, body)
		s.respond(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) gate() (*Gate, *[]error) {
	reported := &[]error{}
	return &Gate{URL: s.URL, ApplicationID: "a1", Key: "gk_1", Report: func(err error) { *reported = append(*reported, err) }}, reported
}

func post(body io.Reader) *http.Request { return httptest.NewRequest("POST", "/orders", body) }

func TestGateDescriptions(t *testing.T) {
	s := startService(t)
	gate, _ := s.gate()
	for i, vector := range readGateVectors(t).Gate.Asked {
		body, _ := base64.StdEncoding.DecodeString(vector.Body_base64)
		// httptest.NewRequest would parse the target.
		request := post(bytes.NewReader(body))
		request.Method, request.RequestURI, request.RemoteAddr = vector.Method, vector.Target, vector.IP+":1"
		if strings.Contains(vector.IP, ":") {
			request.RemoteAddr = "[" + vector.IP + "]:1"
		}
		if vector.Scheme == "https" {
			request.TLS = &tls.ConnectionState{}
		}
		for _, line := range vector.Headers {
			request.Header.Add(line[0], line[1])
		}
		var handed []byte
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			handed, _ = io.ReadAll(r.Body)
			if caller := CallerOf(r); caller.Name != "Buyer" || !caller.Permits("orders:read") {
				t.Errorf("%s: %+v", vector.ID, caller)
			}
		})
		gate.Middleware(handler).ServeHTTP(httptest.NewRecorder(), request)
		var sent map[string]any
		if err := json.Unmarshal(s.bodies[i], &sent); err != nil || !reflect.DeepEqual(sent, vector.Sent) {
			t.Errorf("%s: %v, %v", vector.ID, sent, err)
		}
		if !bytes.Equal(handed, body) {
			t.Errorf("%s: the handler got another body", vector.ID)
		}
	}
	if asked := s.requests[0]; asked.URL.Path != "/gate/a1/verify" || asked.Header.Get("X-Gate-Key") != "gk_1" {
		t.Error(asked.URL, asked.Header)
	}
}

func TestGateDecisions(t *testing.T) {
	s := startService(t)
	for _, vector := range readGateVectors(t).Gate.Decided {
		s.requests = nil
		s.respond = func(w http.ResponseWriter, _ *http.Request) {
			for name, value := range vector.Response.Headers {
				w.Header().Set(name, value)
			}
			w.WriteHeader(vector.Response.Status)
			_, _ = io.WriteString(w, vector.Response.Body)
		}
		gate, reported := s.gate()
		var caller *Caller
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			found := CallerOf(r)
			caller = &found
		})
		recorder := httptest.NewRecorder()
		gate.Middleware(handler).ServeHTTP(recorder, post(nil))
		if len(s.requests) != 1 {
			t.Errorf("%s: %d requests", vector.ID, len(s.requests))
		}
		if known := vector.Caller; known != nil {
			expected := Caller{known.Kind, known.ID, known.Name, known.Through, known.Permissions, known.Chain, known.Is_test}
			if len(known.Chain) == 0 {
				expected.Chain = nil
			}
			if caller == nil || !reflect.DeepEqual(*caller, expected) {
				t.Errorf("%s: %+v", vector.ID, caller)
			}
			continue
		}
		headers := map[string]string{}
		for name := range recorder.Header() {
			headers[strings.ToLower(name)] = recorder.Header().Get(name)
		}
		if caller != nil || recorder.Code != vector.Refusal.Status || !reflect.DeepEqual(headers, vector.Refusal.Headers) {
			t.Errorf("%s: %d %v", vector.ID, recorder.Code, headers)
		}
		code := vector.Response.Headers["latchkey-refusal"]
		isOwn := code == "" || code == "gate.key"
		if (recorder.Body.String() == vector.Response.Body) == isOwn || (len(*reported) == 1) != isOwn {
			t.Errorf("%s: %s %v", vector.ID, recorder.Body, *reported)
		}
	}
}

func TestGateUnavailable(t *testing.T) {
	s := startService(t)
	gate, reported := s.gate()
	s.Close()
	recorder := httptest.NewRecorder()
	gate.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") })).ServeHTTP(recorder, post(nil))
	if recorder.Code != 503 || recorder.Header().Get("Retry-After") != "5" || len(*reported) != 1 {
		t.Error(recorder.Code, recorder.Header(), *reported)
	}
}

func TestGateBodyLimit(t *testing.T) {
	s := startService(t)
	gate, _ := s.gate()
	for length, status := range map[int]int{bodyMaxBytes: 200, bodyMaxBytes + 1: 413} {
		recorder := httptest.NewRecorder()
		handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		gate.Middleware(handler).ServeHTTP(recorder, post(strings.NewReader(strings.Repeat("a", length))))
		if recorder.Code != status {
			t.Error(length, recorder.Code)
		}
	}
	if len(s.requests) != 1 {
		t.Error("the gate was asked about a body above the limit")
	}
}

func TestRequirePermission(t *testing.T) {
	s := startService(t)
	gate, _ := s.gate()
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for permission, status := range map[string]int{"orders:read": 200, "orders:write": 403} {
		recorder := httptest.NewRecorder()
		gate.Middleware(RequirePermission(permission)(handler)).ServeHTTP(recorder, post(nil))
		if recorder.Code != status {
			t.Error(permission, recorder.Code)
		}
	}
	recorder := httptest.NewRecorder()
	RequirePermission("orders:read")(handler).ServeHTTP(recorder, post(nil))
	challenge := `Bearer error="insufficient_scope", scope="orders:read"`
	if recorder.Code != 403 || recorder.Header().Get("WWW-Authenticate") != challenge {
		t.Error(recorder.Code, recorder.Header())
	}
}

func TestGateHidesItsKey(t *testing.T) {
	if strings.Contains(Gate{Key: "gk_hidden"}.String(), "hidden") {
		t.Error("the key is printed")
	}
}
