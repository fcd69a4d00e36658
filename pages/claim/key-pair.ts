// Ed25519 keys in the browser: creates a pair with Web Crypto, and reads a pasted public key. Sends nothing.

/** A JSON Web Key (RFC 8037), or what was pasted in its place, without private members. */
export type PublicKey = Readonly<Record<string, unknown>>;

export interface KeyPair {
	readonly publicKey: PublicKey;
	/** Signs in this page; not extractable. */
	readonly privateKey: CryptoKey;
	/** The file for the partner: PKCS#8 in PEM. */
	readonly pem: string;
}

/** @returns undefined if the browser lacks Ed25519 */
export async function createKeyPair(): Promise<KeyPair | undefined> {
	try {
		// Extractable until the content of the file exists.
		const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
		if (!("publicKey" in pair)) return undefined;
		const { kty, crv, x } = await crypto.subtle.exportKey("jwk", pair.publicKey);
		const pkcs8 = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
		const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
		return { publicKey: { kty, crv, x }, privateKey, pem: pemOf(pkcs8) };
	} catch {
		return undefined;
	}
}

/** One line: 48 bytes are 64 characters. */
function pemOf(pkcs8: ArrayBuffer): string {
	const base64 = btoa(String.fromCharCode(...new Uint8Array(pkcs8)));
	return `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`;
}

/** `form`: neither a JSON Web Key nor a public key in PEM. `private`: it contains a private key. */
export type PublicKeyProblem = "form" | "private";

/** The first 12 bytes of every Ed25519 key in PEM (RFC 8410); the other 32 are the key. */
const SPKI_START = "MCowBQYDK2VwAyEA";
const PEM = /^-----BEGIN PUBLIC KEY-----([\w+/=\s]*)-----END PUBLIC KEY-----$/;
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Keeps only public members, and leaves it to the service to judge them. */
export function readPublicKey(text: string): PublicKey | PublicKeyProblem {
	const trimmed = text.trim();
	if (trimmed.includes("PRIVATE KEY")) return "private";
	const base64 = PEM.exec(trimmed)?.[1]?.replaceAll(/\s/g, "");
	if (base64 !== undefined) {
		if (!base64.startsWith(SPKI_START)) return "form";
		const x = base64.slice(SPKI_START.length).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
		return { kty: "OKP", crv: "Ed25519", x };
	}
	let jwk: unknown;
	try {
		jwk = JSON.parse(trimmed);
	} catch {
		return "form";
	}
	if (typeof jwk !== "object" || jwk === null || !Object.hasOwn(jwk, "kty")) return "form";
	if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))) return "private";
	const { kty, crv, x } = jwk as PublicKey;
	return { kty, crv, x };
}
