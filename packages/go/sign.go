// Package latchkey signs requests to Latchkey, and to APIs behind its gate.
package latchkey

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrBodyTooLarge is returned before a body of more than 1 MiB is sent.
var ErrBodyTooLarge = errors.New("latchkey: the body exceeds 1 MiB")

const bodyMaxBytes = 1 << 20

// Credentials identify an API client. The Secret is used as displayed, including sk_, and never sent.
type Credentials struct{ TenantID, AppID, APIKey, Secret string }

// String omits the Secret.
func (c Credentials) String() string { return "latchkey.Credentials(" + c.APIKey + ")" }

// GoString omits the Secret.
func (c Credentials) GoString() string { return c.String() }

// Sign returns the headers of one request. The target is path and query, exactly as on the request line. The error
// names what is missing, or contains what no request can.
func (c Credentials) Sign(method, target string, body []byte) (http.Header, error) {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return c.signAt(method, target, body, time.Now(), hex.EncodeToString(nonce))
}

func (c Credentials) signAt(method, target string, body []byte, at time.Time, nonce string) (http.Header, error) {
	if len(body) > bodyMaxBytes {
		return nil, ErrBodyTooLarge
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	parts := [][2]string{{"X-Tenant-ID", c.TenantID}, {"X-App-ID", c.AppID}, {"X-API-Key", c.APIKey},
		{"X-Timestamp", timestamp}, {"X-Nonce", nonce}}
	lines := []string{"V1-HMAC-SHA256", method, target}
	headers := http.Header{}
	for _, part := range append(parts, [2]string{"target", target}, [2]string{"Secret", c.Secret}) {
		if part[1] == "" {
			return nil, fmt.Errorf("latchkey: %s is missing", part[0])
		}
		if !isVisibleASCII(part[1]) {
			return nil, fmt.Errorf("latchkey: %s must be visible ASCII", part[0])
		}
	}
	for _, part := range parts {
		headers.Set(part[0], part[1])
		lines = append(lines, part[1])
	}
	digest := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(c.Secret))
	mac.Write([]byte(strings.Join(append(lines, hex.EncodeToString(digest[:])), "\n")))
	headers.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
	if len(body) > 0 || !isWithoutBody(method) {
		headers.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(digest[:])+":")
	}
	return headers, nil
}

func isVisibleASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < '!' || text[i] > '~' {
			return false
		}
	}
	return true
}

func isWithoutBody(method string) bool {
	return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "DELETE"
}

// Permits reports whether one of the held permissions covers the needed one: "*" covers every permission, "orders:*"
// those that begin with "orders:", any other only itself.
func Permits(held []string, needed string) bool {
	for _, permission := range held {
		if permission == "*" || permission == needed ||
			strings.HasSuffix(permission, ":*") && strings.HasPrefix(needed, strings.TrimSuffix(permission, "*")) {
			return true
		}
	}
	return false
}
