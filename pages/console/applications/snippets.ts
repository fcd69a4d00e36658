// Sample code that signs users in to an application through the sign-in page. A test runs it as shown.

export interface Connection {
	/** Origin of the service. */
	readonly service: string;
	readonly appId: string;
	readonly redirectUri: string;
	/** Slug of the tenant, unless it is the default one. */
	readonly tenant: string | undefined;
}

export function nodeProgram({ service, appId, redirectUri, tenant }: Connection): string {
	return `// sign-in.mjs: npm install jose, then node sign-in.mjs
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createRemoteJWKSet, jwtVerify } from "jose";

const SERVICE = ${JSON.stringify(service)};
const APP_ID = ${JSON.stringify(appId)};
const REDIRECT_URI = ${JSON.stringify(redirectUri)};

const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", SERVICE));

/** The URL for the browser, and the cookie that binds the response to it. */
function begin() {
	const state = randomBytes(32).toString("base64url");
	const verifier = randomBytes(32).toString("base64url");
	const query = new URLSearchParams({${tenantLine(tenant, (slug) => `\n\t\ttenant: ${slug},`)}
		app_id: APP_ID,
		redirect_uri: REDIRECT_URI,
		state,
		code_challenge: createHash("sha256").update(verifier).digest("base64url"),
	});
	const secure = REDIRECT_URI.startsWith("https:") ? "; Secure" : "";
	const cookie = \`sign_in=\${state}.\${verifier}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600\${secure}\`;
	return { location: \`\${SERVICE}/sign-in?\${query}\`, cookie };
}

/** The user who returned, after the tokens are verified. */
async function finish(url, cookies = "") {
	const [, state, verifier] = /(?:^|; )sign_in=([\\w-]+)\\.([\\w-]+)/.exec(cookies) ?? [];
	if (state === undefined || url.searchParams.get("state") !== state) throw new Error("the sign-in began in another browser");
	const response = await fetch(new URL("/api/v1/auth/third-party/token", SERVICE), {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ ticket: url.searchParams.get("ticket"), code_verifier: verifier }),
	});
	if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
	const { data } = await response.json();
	const options = { issuer: SERVICE, audience: APP_ID, typ: "at+jwt", algorithms: ["ES256"] };
	const { payload } = await jwtVerify(data.access_token, keys, options);
	return { id: payload.sub, name: data.user.display_name || data.user.username };
}

createServer(async (request, response) => {
	const url = new URL(request.url, REDIRECT_URI);
	if (url.pathname !== new URL(REDIRECT_URI).pathname) {
		const { location, cookie } = begin();
		return response.writeHead(302, { location, "set-cookie": cookie }).end();
	}
	try {
		const { name } = await finish(url, request.headers.cookie);
		// Start your own session here, and clear the cookie.
		response.writeHead(200, { "set-cookie": "sign_in=; Path=/; Max-Age=0" }).end(\`Signed in as \${name}\\n\`);
	} catch (error) {
		console.error(error);
		response.writeHead(400).end("The sign-in failed. Start again.\\n");
	}
}).listen(Number(process.env.PORT ?? 3000));
`;
}

export function pythonProgram({ service, appId, redirectUri, tenant }: Connection): string {
	return `# sign_in.py: python3 sign_in.py, standard library only
import base64, hashlib, http.server, json, os, re, secrets, sys, urllib.parse, urllib.request

SERVICE = ${JSON.stringify(service)}
APP_ID = ${JSON.stringify(appId)}
REDIRECT_URI = ${JSON.stringify(redirectUri)}

def begin():
    """The URL for the browser, and the cookie that binds the response to it."""
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {${tenantLine(tenant, (slug) => `"tenant": ${slug}, `)}"app_id": APP_ID, "redirect_uri": REDIRECT_URI, "state": state, "code_challenge": challenge}
    secure = "; Secure" if REDIRECT_URI.startswith("https:") else ""
    cookie = f"sign_in={state}.{verifier}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600{secure}"
    return f"{SERVICE}/sign-in?{urllib.parse.urlencode(query)}", cookie

def finish(query, cookies):
    """The user who returned. The tokens come from the service itself, over TLS."""
    found = re.search(r"(?:^|; )sign_in=([\\w-]+)\\.([\\w-]+)", cookies)
    if found is None or query.get("state") != found[1]:
        raise ValueError("the sign-in began in another browser")
    body = json.dumps({"ticket": query.get("ticket"), "code_verifier": found[2]}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{SERVICE}/api/v1/auth/third-party/token", body, headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["data"]["user"]

class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path != urllib.parse.urlsplit(REDIRECT_URI).path:
            location, cookie = begin()
            return self.respond(302, "", {"Location": location, "Set-Cookie": cookie})
        try:
            user = finish(dict(urllib.parse.parse_qsl(url.query)), self.headers.get("Cookie", ""))
        except (ValueError, OSError) as error:
            print(error, file=sys.stderr)
            return self.respond(400, "The sign-in failed. Start again.\\n", {})
        # Start your own session here, and clear the cookie.
        name = user["display_name"] or user["username"]
        self.respond(200, f"Signed in as {name}\\n", {"Set-Cookie": "sign_in=; Path=/; Max-Age=0"})

    def respond(self, status, text, headers):
        self.send_response(status)
        for name, value in {"Content-Type": "text/plain; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

http.server.ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Pages).serve_forever()
`;
}

/** For a manual test: what the application sends after the browser has returned. */
export function curlCommand({ service }: Connection): string {
	return `# The ticket is in the URL that the browser returns to. It works once, within 60 seconds.
curl ${service}/api/v1/auth/third-party/token \\
  --header 'Content-Type: application/json' \\
  --data '{"ticket":"…"}'
`;
}

export function signInAddress({ service, appId, redirectUri, tenant }: Connection): string {
	const query = new URLSearchParams({
		...(tenant !== undefined && { tenant }),
		app_id: appId,
		redirect_uri: redirectUri,
	});
	return `${service}/sign-in?${query}`;
}

function tenantLine(tenant: string | undefined, write: (slug: string) => string): string {
	return tenant === undefined ? "" : write(JSON.stringify(tenant));
}
