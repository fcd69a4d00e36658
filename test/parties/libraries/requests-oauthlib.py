# Debian's python3-requests-oauthlib: prints the URL of the sign-in, reads the callback, and prints the result.

import base64
import hashlib
import json
import os
import secrets
import sys

from requests_oauthlib import OAuth2Session

issuer = os.environ["OIDC_ISSUER"]
session = OAuth2Session(os.environ["OIDC_CLIENT_ID"], redirect_uri=os.environ["REDIRECT_URI"], scope=["openid"])
verifier = secrets.token_urlsafe(48)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
has_pkce = "PKCE" in os.environ
url, _ = session.authorization_url(
    f"{issuer}/oauth/authorize",
    nonce="nonce",
    **({"code_challenge": challenge, "code_challenge_method": "S256"} if has_pkce else {}),
)
print(url, flush=True)

returned = sys.stdin.readline().strip()
try:
    session.fetch_token(
        f"{issuer}/oauth/token",
        authorization_response=returned,
        client_secret=os.environ["OIDC_CLIENT_SECRET"],
        **({"code_verifier": verifier} if has_pkce else {}),
    )
    print(json.dumps({"sub": session.get(f"{issuer}/oauth/userinfo").json()["sub"]}))
except Exception as error:  # The class is what the application sees.
    print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
