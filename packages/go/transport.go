package latchkey

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	waitMax = 60 * time.Second
	// The service accepts five minutes; within four, the clock is not the cause of a refusal.
	skewMax = 4 * time.Minute
	// The limit of the body of a 503, which shows who refused the request.
	problemMaxBytes = 64 << 10
)

// ErrRedirect is returned for a redirect that http.Client follows: the Transport would sign a request to another URL.
var ErrRedirect = errors.New("latchkey: redirects of signed requests are not followed")

// ErrOrigin is returned for a request to an origin that is not listed, before it is sent: a signature does not cover the
// host, and a recipient of a signed request could send it to the service.
var ErrOrigin = errors.New("latchkey: not in Origins (could reuse requests)")

// Transport signs every request to the origins of URL and Origins.
//
// A request that is refused because of the clock is repeated once with the time of the service. 429, and 503 where repeating is safe, are
// repeated after Retry-After, or after 1, 2, 4… seconds without it; the response is returned if the wait would exceed 60
// seconds. Every attempt has its own nonce. A redirect that http.Client follows fails with ErrRedirect: set CheckRedirect
// as NewClient does to receive the redirect itself.
type Transport struct {
	Credentials Credentials
	// URL is that of the service: https, or http on this machine.
	URL string
	// Origins are the URLs of others that may receive signed requests, such as an API behind a gate.
	Origins []string
	// Base sends the requests; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Retries is how often a refused request is repeated; 0 is 2, and a negative number never.
	Retries int
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	skew int64 // Nanoseconds that the clock of the service is ahead.
}

// NewClient returns a client that signs every request to the service at url, and to other origins, such as an API behind a gate. It does not
// follow redirects.
func NewClient(url string, credentials Credentials, origins ...string) *http.Client {
	return &http.Client{
		Transport:     &Transport{Credentials: credentials, URL: url, Origins: origins},
		Timeout:       5 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// RoundTrip implements http.RoundTripper. It reads the body into memory, at most 1 MiB.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	// http.Client sets Response only when it follows a redirect.
	if request.Response != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, ErrRedirect
	}
	if err := t.checkOrigin(request.URL); err != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, err
	}
	body, err := readBody(request)
	if err != nil {
		return nil, err
	}
	isTimeCorrected := false
	for attempt := 0; ; attempt++ {
		response, err := t.send(request, body)
		if err != nil || attempt >= t.retries() {
			return response, err
		}
		wait, isFinal := time.Duration(0), false
		if response.StatusCode == http.StatusUnauthorized {
			isFinal = isTimeCorrected || !t.correctClock(response)
			isTimeCorrected = true
		} else if isRepeatable(request.Method, response) {
			wait, isFinal = waitOf(response, attempt)
		} else {
			isFinal = true
		}
		if isFinal {
			return response, nil
		}
		io.CopyN(io.Discard, response.Body, problemMaxBytes)
		response.Body.Close()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-request.Context().Done():
			timer.Stop()
			return nil, request.Context().Err()
		}
	}
}

func (t *Transport) checkOrigin(target *url.URL) error {
	for _, allowed := range append([]string{t.URL}, t.Origins...) {
		origin, err := url.Parse(allowed)
		if err != nil || !isConfidential(origin) {
			return fmt.Errorf("latchkey: not https: %q", allowed)
		}
		if originOf(origin) == originOf(target) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s://%s", ErrOrigin, target.Scheme, target.Host)
}

func isConfidential(origin *url.URL) bool {
	host := origin.Hostname()
	if origin.Scheme == "https" {
		return host != ""
	}
	address := net.ParseIP(host)
	return origin.Scheme == "http" && (host == "localhost" || address != nil && address.IsLoopback())
}

func originOf(address *url.URL) string {
	port := address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	return address.Scheme + "://" + net.JoinHostPort(strings.ToLower(address.Hostname()), port)
}

func (t *Transport) send(request *http.Request, body []byte) (*http.Response, error) {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	at := t.now().Add(time.Duration(atomic.LoadInt64(&t.skew)))
	// An empty method is GET.
	signed := request.Clone(request.Context())
	if signed.Method == "" {
		signed.Method = http.MethodGet
	}
	headers, err := t.Credentials.signAt(signed.Method, signed.URL.RequestURI(), body, at, hex.EncodeToString(nonce))
	if err != nil {
		return nil, err
	}
	for name, values := range headers {
		signed.Header[name] = values
	}
	signed.Body, signed.ContentLength, signed.TransferEncoding = http.NoBody, 0, nil
	if len(body) > 0 {
		signed.Body, signed.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	if t.Base != nil {
		return t.Base.RoundTrip(signed)
	}
	return http.DefaultTransport.RoundTrip(signed)
}

func (t *Transport) now() time.Time {
	if t.Now != nil {
		return t.Now()
	}
	return time.Now()
}

func (t *Transport) retries() int {
	if t.Retries == 0 {
		return 2
	}
	return t.Retries
}

// correctClock reports whether the clock differs from that of the service enough to cause a refusal.
func (t *Transport) correctClock(response *http.Response) bool {
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return false
	}
	skew := date.Sub(t.now())
	if difference := skew - time.Duration(atomic.LoadInt64(&t.skew)); difference.Abs() <= skewMax {
		return false
	}
	atomic.StoreInt64(&t.skew, int64(skew))
	return true
}

func readBody(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	defer request.Body.Close()
	body, err := io.ReadAll(io.LimitReader(request.Body, bodyMaxBytes+1))
	if err == nil && len(body) > bodyMaxBytes {
		err = ErrBodyTooLarge
	}
	return body, err
}

// isRepeatable reports whether the service certainly did not execute the request, or repeating it has the effect of one
// (RFC 9110, section 9.2.2).
func isRepeatable(method string, response *http.Response) bool {
	if response.StatusCode != http.StatusServiceUnavailable {
		return response.StatusCode == http.StatusTooManyRequests
	}
	switch method {
	case "", "GET", "HEAD", "PUT", "DELETE":
		return true
	}
	if response.Header.Get("Latchkey-Refusal") != "" {
		return true
	}
	start, _ := io.ReadAll(io.LimitReader(response.Body, problemMaxBytes))
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), response.Body), response.Body}
	return strings.Contains(string(start), "/docs/errors#")
}

// waitOf returns how long to wait, or that the response is final because the wait would be too long.
func waitOf(response *http.Response, attempt int) (wait time.Duration, isFinal bool) {
	text := response.Header.Get("Retry-After")
	if text == "" {
		wait = time.Duration(math.Pow(2, float64(attempt))) * time.Second
		return wait, wait > waitMax
	}
	seconds, err := strconv.ParseUint(text, 10, 16)
	wait = time.Duration(seconds) * time.Second
	return wait, err != nil || wait > waitMax
}
