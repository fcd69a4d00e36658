// Forges access tokens: decodes a real one, changes it, and signs it again or leaves it unsigned.

import assert from "node:assert/strict";
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { createSigningKeyStore } from "../../../src/adapters/stores/signing-key-store.ts";
import { parseMasterKeys, SecretBox } from "../../../src/crypto/secret-box.ts";
import { signingKeyContext } from "../../../src/domain/signing-key.ts";
import type { TestService } from "../service/service.ts";

export interface Changes {
	/** Members to set; `undefined` removes a member. */
	readonly header?: object;
	readonly claims?: object;
}

export type Signer = (input: string) => Buffer;

/** Decodes the header or claims of a token. */
export function decodePart(token: string, index: 0 | 1): Record<string, unknown> {
	return JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8"));
}

/** Encodes JSON text as a part of a token. */
export function encodeText(text: string): string {
	return Buffer.from(text).toString("base64url");
}

/** Applies the changes and signs the token with `signer`. */
export function forgeToken(token: string, { header, claims }: Changes, signer: Signer): string {
	const part = (index: 0 | 1, change: object = {}): string =>
		encodeText(JSON.stringify({ ...decodePart(token, index), ...change }));
	return signParts(part(0, header), part(1, claims), signer);
}

export function signParts(header: string, claims: string, signer: Signer): string {
	const input = `${header}.${claims}`;
	return `${input}.${signer(input).toString("base64url")}`;
}

export function es256(key: KeyObject): Signer {
	return (input) => sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
}

/** The private signing key of a running service, unsealed as the service does it. */
export async function signingKeyOf(service: TestService): Promise<KeyObject> {
	const box = new SecretBox(parseMasterKeys(service.masterKeys()));
	await using engine = await service.openDatabase();
	const [key] = await createSigningKeyStore(engine.queries).listAll();
	assert.ok(key !== undefined);
	const jwk = JSON.parse(box.open(key.privateSealed, signingKeyContext(key.kid)));
	return createPrivateKey({ key: jwk, format: "jwk" });
}
