// Signs a request as in docs/signing.md, with Web Crypto. Neither Secret nor private key leaves the page.

export interface SigningCredentials {
	readonly tenant_id: string;
	readonly app_id: string;
	readonly api_key: string;
	/** Undefined: the client signs with a key. */
	readonly secret?: string | undefined;
	/** Ed25519. Undefined beside an undefined Secret: only the partner has it. */
	readonly privateKey?: CryptoKey | undefined;
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

/** The first line of the string to sign. */
export function schemeOf({ secret }: Pick<SigningCredentials, "secret">): string {
	return secret === undefined ? "V1-ED25519" : "V1-HMAC-SHA256";
}

/** False: the partner signs with a key that it alone has. */
export function canSign({ secret, privateKey }: SigningCredentials): boolean {
	return secret !== undefined || privateKey !== undefined;
}

/** @throws Error if the credentials contain neither Secret nor private key. */
export async function signRequest(
	credentials: SigningCredentials,
	{ method, target, body, timestamp, nonce }: RequestToSign,
): Promise<SignedRequest> {
	const { tenant_id, app_id, api_key } = credentials;
	const bodyDigest = await sha256(body);
	const scheme = schemeOf(credentials);
	const lines = [scheme, method, target, tenant_id, app_id, api_key, timestamp, nonce, bodyDigest];
	const stringToSign = lines.join("\n");
	return {
		stringToSign,
		headers: {
			"X-Tenant-ID": tenant_id,
			"X-App-ID": app_id,
			"X-API-Key": api_key,
			"X-Timestamp": timestamp,
			"X-Nonce": nonce,
			"X-Signature": await signText(credentials, stringToSign),
		},
	};
}

/** Lower-case hex. */
export async function sha256(body: string | Uint8Array<ArrayBuffer>): Promise<string> {
	const bytes = typeof body === "string" ? encoder.encode(body) : body;
	return hex(await crypto.subtle.digest("SHA-256", bytes));
}

/**
 * The value of `X-Signature` for a string to sign.
 *
 * @throws Error if the credentials contain neither Secret nor private key.
 */
export async function signText(
	{ secret, privateKey }: Pick<SigningCredentials, "secret" | "privateKey">,
	text: string,
): Promise<string> {
	const bytes = encoder.encode(text);
	if (privateKey !== undefined) return hex(await crypto.subtle.sign("Ed25519", privateKey, bytes));
	if (secret === undefined) throw new Error("nothing to sign with");
	const algorithm = { name: "HMAC", hash: "SHA-256" };
	const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
	return hex(await crypto.subtle.sign("HMAC", key, bytes));
}

function hex(bytes: ArrayBuffer): string {
	return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
