// Statements that the service signs about itself, verifiable with its public keys: compact JWS (RFC 7515), ES256.

import { decodeProtectedHeader } from "jose/decode/protected_header";
import { CompactSign } from "jose/jws/compact/sign";
import { isCompactJws, verifyCompactJws } from "./compact-jws.ts";
import { ALGORITHM, ReadyKeys, type SigningKey } from "./signing-key.ts";

const ready = new ReadyKeys();
const MAX_LENGTH = 4_096;

/**
 * `type` is part of the protected header, so that a signature for another purpose, e.g. an access token, is refused.
 */
export async function signStatement(key: SigningKey, type: string, claims: object): Promise<string> {
	return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
		.setProtectedHeader({ alg: ALGORITHM, typ: type, kid: key.kid })
		.sign(await ready.signing(key));
}

/** The claims; undefined unless one of the keys signed the statement with that type. */
export async function verifyStatement(
	keys: readonly SigningKey[],
	type: string,
	statement: string,
): Promise<unknown> {
	if (statement.length > MAX_LENGTH || !isCompactJws(statement)) return undefined;
	try {
		const { alg, typ, kid, ...others } = decodeProtectedHeader(statement);
		const key = keys.find((candidate) => candidate.kid === kid);
		if (key === undefined || alg !== ALGORITHM || typ !== type || Object.keys(others).length > 0)
			return undefined;
		const payload = await verifyCompactJws(statement, await ready.verifying(key));
		return payload && JSON.parse(new TextDecoder().decode(payload));
	} catch (error) {
		if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** The unverified key id of a statement, if any. */
export function statementKeyId(statement: string): string | undefined {
	try {
		return decodeProtectedHeader(statement).kid;
	} catch {
		return undefined;
	}
}
