// The wire form of API clients.

import { ALLOWLIST_MODES } from "../../../domain/allowlist.ts";
import {
	API_CLIENT_STATUSES,
	type ApiClient,
	CLIENT_MODES,
	isDormant,
	SCOPES,
} from "../../../domain/api-client.ts";
import { PARTNER_KEYS_MAX, type PartnerKey } from "../../../domain/partner-key.ts";
import { type CallsRow, startOfStep } from "../../../domain/statistics.ts";
import { DISABLED_REASONS } from "../../../domain/user.ts";
import {
	anyObject,
	boolean,
	choice,
	type Infer,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { HOUR_MS } from "../../../kernel/clock.ts";
import type { IssuedCredential } from "../steps/issue-secret.ts";

/** A JSON Web Key in a body. */
export function publicKeyInput() {
	return anyObject({
		description:
			"The public key as a JSON Web Key (RFC 8037): `kty` `OKP`, `crv` `Ed25519`, and `x`. Keep the private key: the service refuses it.",
		examples: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }],
	});
}

const keySchema = object(
	{
		key_id: plain("The SHA-256 thumbprint (RFC 7638) in base64url, by which reviewers recognize the key."),
		public_key: object({ kty: plain(), crv: plain(), x: plain() }),
		created_at: time(),
		reviewed_at: nullable(
			time("When an administrator added or accepted it; null for a key that was not reviewed."),
		),
		reviewed_by: nullable(plain({ format: "uuid" })),
		live: boolean(
			"Whether it signs. `false`: the tenant requires a review, and no reviewer has accepted it.",
		),
	},
	{ title: "PartnerKey" },
);
export const publicKeysSchema = list(keySchema, {
	description: `The public keys of a client that signs with Ed25519 instead of a Secret, at most ${PARTNER_KEYS_MAX}.`,
});
const toWireKey = toWire(keySchema);

export function toWireKeys(keys: readonly PartnerKey[]): Infer<typeof publicKeysSchema> {
	return keys.map(({ id: keyId, x, isHeld, ...key }) =>
		toWireKey({ ...key, keyId, publicKey: { kty: "OKP", crv: "Ed25519", x }, live: !isHeld }),
	);
}

const fields = {
	id: plain({ format: "uuid" }),
	tenant_id: plain({ format: "uuid", description: "Sent as `X-Tenant-ID`." }),
	app_id: plain({
		format: "uuid",
		description: "Sent as `X-App-ID`. Every test client has the same one, which no application has.",
	}),
	name: plain(),
	api_key: plain("Sent as `X-API-Key`; identifies the client without authenticating it."),
	secret_hint: plain('The last four characters of the Secret; `""` while unclaimed, and with a key.'),
	public_keys: publicKeysSchema,
	status: choice(API_CLIENT_STATUSES, {
		description: "`unclaimed`: the applicant has not claimed the Secret yet.",
	}),
	disabled_reason: nullable(
		choice(DISABLED_REASONS, {
			description:
				"`dormant`: the service disabled the client because it was not used. Null for every other reason.",
		}),
	),
	mode: choice(CLIENT_MODES, {
		description:
			"`test`: created by an applicant before the decision; sees three made-up people and no records of the tenant.",
	}),
	scopes: list(choice(SCOPES)),
	ip_allowlist: list(plain(), {
		description: "IP addresses and CIDRs in canonical form; empty allows any IP address.",
	}),
	ip_allowlist_mode: choice(ALLOWLIST_MODES, {
		description: "`report`: requests from an IP address that is not on the list are accepted and counted.",
	}),
	expires_at: nullable(time()),
	last_used_at: nullable(time("Time of the last accepted request, delayed by some seconds.")),
	last_used_ip: plain('Empty (`""`) before the first request.'),
	secret_created_at: nullable(time()),
	previous_secret_expires_at: nullable(
		time("The previous Secret is valid until then; null if it became invalid immediately."),
	),
	dormant: boolean(
		"Whether it has not been used for 90 days. If it was never used, the 90 days start when its Secret was created, or else when the client was created.",
	),
	access_request_id: nullable(plain({ format: "uuid" })),
	owner_name: nullable(plain("The applicant of the access request; null without one.")),
	owner_email: nullable(plain("The service mails notices about the client here; null without one.")),
	partner: nullable(
		plain("The applicant's company or organization, from the access request; null without one."),
	),
	purpose: nullable(plain("From the access request; null without one.")),
	created_by: nullable(
		plain({ format: "uuid", description: "The user who created or approved the client." }),
	),
	created_at: time(),
	updated_at: time(),
};

export const apiClientSchema = object(fields, { title: "ApiClient" });

/** In lists: with its calls. */
export const listedClientSchema = object(
	{
		...fields,
		calls_24h: integer(
			"Signed calls with its API key, accepted and refused, in the current hour and the 23 hours before. Counts lag by some seconds.",
		),
		refused_24h: integer("Those of them that were refused."),
		calls_by_hour: list(integer(), { description: "`calls_24h` by hour: 24 counts, oldest first." }),
	},
	{ title: "ListedApiClient" },
);

/** The response of create and claim, and to a client that adds a key. */
export const apiClientWithCredentialSchema = object(
	{
		...fields,
		secret: optional(
			plain(
				"The Secret, returned only in this response; absent with a public key. It signs requests and must never be sent.",
			),
		),
		key_id: optional(plain("The thumbprint of the public key; absent with a Secret.")),
	},
	{ title: "ApiClientWithCredential" },
);

/** The response of regenerate and rotate, and of a test client. */
export const apiClientWithSecretSchema = object(
	{
		...fields,
		secret: plain("The Secret, returned only in this response. It signs requests and must never be sent."),
	},
	{ title: "ApiClientWithSecret" },
);

const HOURS = 24;

/** The start of the first hour that lists count. */
export function countedSince(nowMs: number): number {
	return startOfStep("hour", nowMs) - (HOURS - 1) * HOUR_MS;
}

export function toListedClient(
	client: ApiClient,
	counted: readonly CallsRow[],
	nowMs: number,
): Infer<typeof listedClientSchema> {
	const byHour = new Map(counted.map(({ atMs, calls }) => [atMs, calls]));
	const hours = Array.from({ length: HOURS }, (_, hour) => countedSince(nowMs) + hour * HOUR_MS);
	return {
		...toWireApiClient(client, nowMs),
		calls_24h: counted.reduce((sum, { calls }) => sum + calls, 0),
		refused_24h: counted.reduce((sum, { refused }) => sum + refused, 0),
		calls_by_hour: hours.map((atMs) => byHour.get(atMs) ?? 0),
	};
}

const toWireForm = toWire(apiClientSchema);

export function toWireApiClient(client: ApiClient, nowMs: number): Infer<typeof apiClientSchema> {
	const { owner } = client;
	const publicKeys = toWireKeys(client.publicKeys);
	return toWireForm({
		...client,
		publicKeys,
		dormant: isDormant(client, nowMs),
		ownerName: owner?.name ?? null,
		ownerEmail: owner?.email ?? null,
		partner: owner?.company ?? null,
		purpose: owner?.purpose ?? null,
	});
}

export function toWireWithSecret(
	client: ApiClient,
	secretPlain: string,
	nowMs: number,
): Infer<typeof apiClientWithSecretSchema> {
	return { ...toWireApiClient(client, nowMs), secret: secretPlain };
}

/** With the Secret, if one was issued, or the id of the key. */
export function toWireWithCredential(
	client: ApiClient,
	{ secretPlain, keyId }: IssuedCredential,
	nowMs: number,
): Infer<typeof apiClientWithCredentialSchema> {
	return {
		...toWireApiClient(client, nowMs),
		...(secretPlain !== undefined && { secret: secretPlain }),
		...(keyId !== undefined && { key_id: keyId }),
	};
}
