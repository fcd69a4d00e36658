package latchkey

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

type vectorFile struct {
	Client struct {
		TenantID string `json:"tenant_id"`
		AppID    string `json:"app_id"`
		APIKey   string `json:"api_key"`
		Secret   string `json:"secret"`
	}
	Ed25519 struct {
		PrivateKey string `json:"private_key_pem"`
		Vectors    []struct{ ID, Signature string }
		RFC8032    []struct {
			PrivateKey string `json:"private_key_pem"`
			MessageHex string `json:"message_hex"`
			Signature  string
		}
	}
	Vectors []struct{ ID, Method, Target, Timestamp, Nonce, Signature, Body_base64 string }
	Permits []struct {
		Held      []string
		Needed    string
		Permitted bool
	}
}

// vectorsPath is the file of known answers: that of the checkout, unless LATCHKEY_VECTORS names another.
func vectorsPath() string {
	if path := os.Getenv("LATCHKEY_VECTORS"); path != "" {
		return path
	}
	return "../../docs/signing-vectors.json"
}

func readVectors(t *testing.T) (vectorFile, Credentials) {
	text, err := os.ReadFile(vectorsPath())
	if err != nil {
		t.Fatal(err)
	}
	var known vectorFile
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	client := known.Client
	return known, Credentials{TenantID: client.TenantID, AppID: client.AppID, APIKey: client.APIKey, Secret: client.Secret}
}

func TestKnownAnswers(t *testing.T) {
	known, credentials := readVectors(t)
	if len(known.Vectors) < 6 || len(known.Permits) < 50 {
		t.Fatal("too few known answers")
	}
	for _, vector := range known.Vectors {
		body, _ := base64.StdEncoding.DecodeString(vector.Body_base64)
		seconds, _ := strconv.ParseInt(vector.Timestamp, 10, 64)
		headers, err := credentials.signAt(vector.Method, vector.Target, body, time.Unix(seconds, 0), vector.Nonce)
		if err != nil || headers.Get("X-Signature") != vector.Signature {
			t.Errorf("%s: %v %v", vector.ID, headers, err)
		}
	}
	for _, row := range known.Permits {
		if Permits(row.Held, row.Needed) != row.Permitted {
			t.Errorf("permits(%q, %q)", row.Held, row.Needed)
		}
	}
}

func TestKeys(t *testing.T) {
	known, credentials := readVectors(t)
	if known.Ed25519.PrivateKey == "" {
		t.Skip("no keys in this file")
	}
	if len(known.Ed25519.Vectors) < 6 || len(known.Ed25519.RFC8032) < 3 {
		t.Fatal("too few known answers")
	}
	secret := credentials.Secret
	credentials.Secret, credentials.PrivateKey = "", known.Ed25519.PrivateKey
	for i, expected := range known.Ed25519.Vectors {
		vector := known.Vectors[i]
		body, _ := base64.StdEncoding.DecodeString(vector.Body_base64)
		seconds, _ := strconv.ParseInt(vector.Timestamp, 10, 64)
		headers, err := credentials.signAt(vector.Method, vector.Target, body, time.Unix(seconds, 0), vector.Nonce)
		if err != nil || vector.ID != expected.ID || headers.Get("X-Signature") != expected.Signature {
			t.Errorf("%s: %v %v", expected.ID, headers, err)
		}
	}
	for _, vector := range known.Ed25519.RFC8032 {
		message, _ := hex.DecodeString(vector.MessageHex)
		signature, err := Credentials{PrivateKey: vector.PrivateKey}.signature(message)
		if err != nil || hex.EncodeToString(signature) != vector.Signature {
			t.Errorf("%x %v", signature, err)
		}
	}
	if strings.Contains(credentials.String(), "PRIVATE") {
		t.Error("the key is printed")
	}
	credentials.Secret = secret
	if _, err := credentials.Sign("GET", "/", nil); err == nil || !strings.Contains(err.Error(), "exclude") {
		t.Error(err)
	}
	credentials.Secret, credentials.PrivateKey = "", "no key"
	if _, err := credentials.Sign("GET", "/", nil); err == nil || !strings.Contains(err.Error(), "PrivateKey is not") {
		t.Error(err)
	}
}

func TestSignNamesWhatIsMissing(t *testing.T) {
	_, credentials := readVectors(t)
	credentials.Secret = ""
	if _, err := credentials.Sign("GET", "/", nil); err == nil || !strings.Contains(err.Error(), "Secret") {
		t.Error(err)
	}
	if strings.Contains(Credentials{APIKey: "ak_1", Secret: "sk_hidden"}.String(), "hidden") {
		t.Error("the Secret is printed")
	}
}

type reply struct {
	status int
	header map[string]string
	body   string
}

// scripted responds with each reply in order, the last one forever.
type scripted struct {
	replies  []reply
	requests []*http.Request
}

func (s *scripted) RoundTrip(request *http.Request) (*http.Response, error) {
	s.requests = append(s.requests, request)
	next := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	header := http.Header{}
	for name, value := range next.header {
		header.Set(name, value)
	}
	body := io.NopCloser(strings.NewReader(next.body))
	return &http.Response{StatusCode: next.status, Header: header, Body: body, Request: request}, nil
}

func TestRepeats(t *testing.T) {
	_, credentials := readVectors(t)
	now := time.Unix(1760000000, 0)
	date := func(offset time.Duration) map[string]string {
		return map[string]string{"Date": now.Add(offset).UTC().Format(http.TimeFormat)}
	}
	soon := map[string]string{"Retry-After": "0"}
	own := `{"type":"https://auth.example.com/docs/errors#database.unavailable"}`
	for name, test := range map[string]struct {
		method  string
		replies []reply
		sent    int
	}{
		"wrong clock":             {"GET", []reply{{401, date(time.Hour), ""}, {401, date(2 * time.Hour), ""}}, 2},
		"clock within 4 minutes":  {"GET", []reply{{401, date(4 * time.Minute), ""}}, 1},
		"401 without a date":      {"GET", []reply{{401, nil, ""}}, 1},
		"429":                     {"POST", []reply{{429, soon, ""}}, 3},
		"429 for too long":        {"GET", []reply{{429, map[string]string{"Retry-After": "61"}, ""}}, 1},
		"503 of a safe method":    {"PUT", []reply{{503, soon, ""}, {200, nil, ""}}, 2},
		"503 of an application":   {"POST", []reply{{503, soon, "busy"}}, 1},
		"503 of the service":      {"POST", []reply{{503, soon, own}, {200, nil, ""}}, 2},
		"503 of the gate":         {"POST", []reply{{503, map[string]string{"Retry-After": "0", "Latchkey-Refusal": "a"}, ""}, {200, nil, ""}}, 2},
		"everything else":         {"GET", []reply{{502, soon, ""}}, 1},
		"a redirect that is kept": {"GET", []reply{{307, map[string]string{"Location": "https://other.example/"}, ""}}, 1},
	} {
		base := &scripted{replies: test.replies}
		client := NewClient("https://api.example.com", credentials)
		client.Transport = &Transport{Credentials: credentials, URL: "https://api.example.com", Base: base, Now: func() time.Time { return now }}
		request, _ := http.NewRequest(test.method, "https://api.example.com/orders?a=%2F", strings.NewReader("{}"))
		response, err := client.Do(request)
		if err != nil || len(base.requests) != test.sent {
			t.Errorf("%s: %d requests, %v", name, len(base.requests), err)
			continue
		}
		if body, _ := io.ReadAll(response.Body); test.replies[0].body == "busy" && string(body) != "busy" {
			t.Errorf("%s: the body is lost", name)
		}
		nonces := map[string]bool{}
		for _, request := range base.requests {
			nonces[request.Header.Get("X-Nonce")] = true
		}
		if len(nonces) != test.sent {
			t.Errorf("%s: a nonce is sent twice", name)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	_, credentials := readVectors(t)
	base := &scripted{replies: []reply{{200, nil, ""}}}
	client := http.Client{Transport: &Transport{Credentials: credentials, URL: "https://api.example.com", Base: base}}
	_, err := client.Post("https://api.example.com/", "text/plain", strings.NewReader(strings.Repeat("a", bodyMaxBytes+1)))
	if !errors.Is(err, ErrBodyTooLarge) || len(base.requests) != 0 {
		t.Error(err, len(base.requests))
	}
	if _, err := client.Post("https://api.example.com/", "text/plain", strings.NewReader(strings.Repeat("a", bodyMaxBytes))); err != nil {
		t.Error(err)
	}
}

func TestOrigins(t *testing.T) {
	_, credentials := readVectors(t)
	base := &scripted{replies: []reply{{200, nil, ""}}}
	transport := &Transport{Credentials: credentials, URL: "https://auth.example.com", Origins: []string{"https://api.example.com/any", "http://127.0.0.1:3000"}, Base: base}
	client := http.Client{Transport: transport}
	for _, target := range []string{"https://auth.example.com/a", "https://AUTH.example.com:443/a", "https://api.example.com/b", "http://127.0.0.1:3000/"} {
		if _, err := client.Get(target); err != nil {
			t.Error(target, err)
		}
	}
	for _, target := range []string{"https://evil.example/", "http://api.example.com/", "https://api.example.com:444/", "https://api.example.com.evil.example/", "https://api.example.com@evil.example/"} {
		if _, err := client.Get(target); !errors.Is(err, ErrOrigin) {
			t.Error(target, err)
		}
	}
	if len(base.requests) != 4 {
		t.Error(len(base.requests))
	}
	for _, refused := range []string{"http://auth.example.com", "auth.example.com", "", "http://localhost.evil.example", "http://localhost@evil.example"} {
		transport.URL = refused
		if _, err := client.Get("https://auth.example.com/"); err == nil || !strings.Contains(err.Error(), "not https") {
			t.Error(refused, err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	_, credentials := readVectors(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, method := range []string{"GET", "POST"} {
			base := &scripted{replies: []reply{{status, map[string]string{"Location": "https://other.example/"}, ""}, {200, nil, ""}}}
			client := http.Client{Transport: &Transport{Credentials: credentials, URL: "https://api.example.com", Base: base}}
			request, _ := http.NewRequest(method, "https://api.example.com/", strings.NewReader("{}"))
			if _, err := client.Do(request); !errors.Is(err, ErrRedirect) || len(base.requests) != 1 {
				t.Error(status, method, err, len(base.requests))
			}
		}
	}
}

// TestCall calls a running service whose certificate SSL_CERT_FILE names.
func TestCall(t *testing.T) {
	url := os.Getenv("LK_BASE_URL")
	if url == "" {
		t.Skip("LK_BASE_URL is not set")
	}
	client := NewClient(url, Credentials{TenantID: os.Getenv("LK_TENANT_ID"), AppID: os.Getenv("LK_APP_ID"), APIKey: os.Getenv("LK_API_KEY"), Secret: os.Getenv("LK_SECRET")})
	for _, method := range []string{"GET", "POST"} {
		target, body := "/api/v1/external/whoami", io.Reader(nil)
		if method == "POST" {
			target, body = "/api/v1/external/users/check-access", strings.NewReader(`{"user_id":"0190a5b0-0000-7000-8000-000000000001"}`)
		}
		request, _ := http.NewRequest(method, url+target, body)
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil || response.StatusCode != 200 {
			t.Error(method, response, err)
		}
	}
}
