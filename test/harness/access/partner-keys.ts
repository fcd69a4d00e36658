// API clients that sign with an Ed25519 key.

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Credentials, TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";
import { API_CLIENTS, addApplication } from "./applications.ts";

export const OWN_KEYS = "/api/v1/external/keys";

export interface KeyPair {
	readonly privateKey: KeyObject;
	/** The public key as a JSON Web Key. */
	readonly public_key: { readonly kty: string; readonly crv: string; readonly x: string };
}

export function newKey(): KeyPair {
	const { privateKey, publicKey } = generateKeyPairSync("ed25519");
	const { kty = "", crv = "", x = "" } = publicKey.export({ format: "jwk" });
	return { privateKey, public_key: { kty, crv, x } };
}

export type KeyClient = Omit<DataOf<"POST /api/v1/api-clients">, "secret"> & Credentials & KeyPair;

let created = 0;

/** Creates a client that signs with a new key, in a new application unless `fields` name one. */
export async function addKeyClient(
	service: TestService,
	fields: Readonly<{ app_id?: string; name?: string; scopes?: string[]; ip_allowlist?: string[] }> = {},
): Promise<KeyClient> {
	const key = newKey();
	const app_id = fields.app_id ?? (await addApplication(service)).id;
	const body = { name: `Key client ${++created}`, ...fields, app_id, public_key: key.public_key };
	const client = await service.asAdmin("POST", API_CLIENTS, body);
	return { ...client, ...key, secret: "" };
}

/** The client adds a new key, signed with its credentials. */
export async function addOwnKey(
	service: TestService,
	client: Credentials,
	fields: Readonly<{ overlap_seconds?: number }> = {},
): Promise<DataOf<"POST /api/v1/external/keys"> & { readonly key_id: string } & KeyPair> {
	const key = newKey();
	const { public_key } = key;
	const response = await service.signed(client, "POST", OWN_KEYS, { body: { public_key, ...fields } });
	if (response.status !== 201)
		throw new Error(`adding a key returned ${response.status}: ${JSON.stringify(response.body)}`);
	const { key_id = "" } = response.body.data;
	return { ...response.body.data, key_id, ...key };
}

/** The same client, signing with another key. */
export function withKey<C extends Credentials>(client: C, { privateKey }: KeyPair): C {
	return { ...client, privateKey };
}
