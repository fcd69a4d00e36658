// Package latchkey signs requests to Latchkey, and to APIs behind its gate.
package latchkey

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
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

// Credentials identify an API client. It signs either with the Secret, as displayed, including sk_, or with the
// PrivateKey, an Ed25519 key as PKCS#8 PEM. Neither is ever sent.
type Credentials struct{ TenantID, AppID, APIKey, Secret, PrivateKey string }

// String omits the Secret and the key.
func (c Credentials) String() string { return "latchkey.Credentials(" + c.APIKey + ")" }

// GoString omits the Secret and the key.
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
	checked := append(parts, [2]string{"target", target})
	scheme := "V1-ED25519"
	if c.PrivateKey == "" {
		scheme = "V1-HMAC-SHA256"
		checked = append(checked, [2]string{"Secret", c.Secret})
	} else if c.Secret != "" {
		return nil, errors.New("latchkey: Secret and PrivateKey exclude each other")
	}
	lines := []string{scheme, method, target}
	headers := http.Header{}
	for _, part := range checked {
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
	signature, err := c.signature([]byte(strings.Join(append(lines, hex.EncodeToString(digest[:])), "\n")))
	if err != nil {
		return nil, err
	}
	headers.Set("X-Signature", hex.EncodeToString(signature))
	if len(body) > 0 || !isWithoutBody(method) {
		headers.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(digest[:])+":")
	}
	return headers, nil
}

func (c Credentials) signature(text []byte) ([]byte, error) {
	if c.PrivateKey == "" {
		mac := hmac.New(sha256.New, []byte(c.Secret))
		mac.Write(text)
		return mac.Sum(nil), nil
	}
	if block, _ := pem.Decode([]byte(c.PrivateKey)); block != nil {
		parsed, _ := x509.ParsePKCS8PrivateKey(block.Bytes)
		if key, ok := parsed.(ed25519.PrivateKey); ok {
			return ed25519.Sign(key, text), nil
		}
	}
	return nil, errors.New("latchkey: PrivateKey is not an Ed25519 key as PKCS#8 PEM")
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
