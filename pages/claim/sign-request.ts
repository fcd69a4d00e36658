// Signs a request as in docs/signing.md, with Web Crypto. The Secret does not leave the page.

export interface SigningCredentials {
	readonly tenant_id: string;
	readonly app_id: string;
	readonly api_key: string;
	readonly secret: string;
}

interface RequestToSign {
	readonly method: string;
	/** Path and query, exactly as they are sent. */
	readonly target: string;
	readonly body: string | Uint8Array<ArrayBuffer>;
	/** Unix time in seconds. */
	readonly timestamp: string;
	/** 16 to 128 of `A-Z a-z 0-9 . _ ~ -`, new for every request. */
	readonly nonce: string;
}

export interface SignedRequest {
	/** The nine lines. */
	readonly stringToSign: string;
	readonly headers: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();

export async function signRequest(
	{ tenant_id, app_id, api_key, secret }: SigningCredentials,
	{ method, target, body, timestamp, nonce }: RequestToSign,
): Promise<SignedRequest> {
	const bodyDigest = await sha256(body);
	const lines = ["V1-HMAC-SHA256", method, target, tenant_id, app_id, api_key, timestamp, nonce, bodyDigest];
	const stringToSign = lines.join("\n");
	return {
		stringToSign,
		headers: {
			"X-Tenant-ID": tenant_id,
			"X-App-ID": app_id,
			"X-API-Key": api_key,
			"X-Timestamp": timestamp,
			"X-Nonce": nonce,
			"X-Signature": await signText(secret, stringToSign),
		},
	};
}

/** Lower-case hex. */
export async function sha256(body: string | Uint8Array<ArrayBuffer>): Promise<string> {
	const bytes = typeof body === "string" ? encoder.encode(body) : body;
	return hex(await crypto.subtle.digest("SHA-256", bytes));
}

/** The value of `X-Signature` for a string to sign. */
export async function signText(secret: string, text: string): Promise<string> {
	const algorithm = { name: "HMAC", hash: "SHA-256" };
	const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
	return hex(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}

function hex(bytes: ArrayBuffer): string {
	return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
