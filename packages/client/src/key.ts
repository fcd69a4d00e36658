// Signs with an Ed25519 key. Loaded only for clients that have one.

const encoder = new TextEncoder();

/**
 * The signature of the string to sign, whose first line this adds.
 *
 * @param privateKey PKCS#8 PEM
 * @throws TypeError, which quotes no key
 */
export function sign(privateKey: string, secret: string | undefined, text: string): Promise<ArrayBuffer> {
	if (secret) throw new TypeError("secret and privateKey exclude each other");
	return ed25519(privateKey, encoder.encode(`V1-ED25519\n${text}`));
}

/** @throws TypeError, which quotes no key */
export async function ed25519(privateKey: string, text: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
	const { subtle } = crypto;
	let key: CryptoKey;
	try {
		const base64 = privateKey.replace(/-----[^-]+-----|\s/g, "");
		const pkcs8 = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
		key = await subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
	} catch {
		throw new TypeError("privateKey is not an Ed25519 key as PKCS#8 PEM");
	}
	return subtle.sign("Ed25519", key, text);
}
