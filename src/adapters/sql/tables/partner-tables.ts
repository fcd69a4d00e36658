// Tables of API clients and their signed requests.

import type { AllowlistMode } from "../../../domain/allowlist.ts";
import { type ApiClientStatus, type ClientMode, SCOPES, TEST_APP_ID } from "../../../domain/api-client.ts";
import { secretContext } from "../../../domain/client-secret.ts";
import { isPartnerKey } from "../../../domain/partner-key.ts";
import type { DisabledReason } from "../../../domain/user.ts";
import { isText, listOf, oneOf } from "../../../kernel/shape.ts";
import {
	type Column,
	foldedFrom,
	integer,
	json,
	key,
	nullable,
	ofTenant,
	sealed,
	text,
	timestamps,
} from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, KEPT, OMITTED } from "../table-policy.ts";

/** Stored as NULL for a test client, which has no application. */
function testAppId(): Column<string> {
	return {
		type: "TEXT",
		read: (stored) => (stored === null ? TEST_APP_ID : String(stored)),
		write: (appId) => (appId === TEST_APP_ID ? null : appId),
	};
}

export const storedClients = table("api_clients", KEPT, {
	...ofTenant,
	appId: testAppId(),
	mode: text<ClientMode>(),
	name: text(),
	nameFolded: foldedFrom("name"),
	apiKey: text(),
	secretSealed: nullable(sealed(secretContext)),
	secretHint: text(),
	secretCreatedAtMs: nullable(integer()),
	previousSecretSealed: nullable(sealed(secretContext)),
	previousSecretExpiresAtMs: nullable(integer()),
	status: text<ApiClientStatus>(),
	scopes: json(listOf(oneOf(SCOPES))),
	ipAllowlist: json(listOf(isText)),
	ipAllowlistMode: text<AllowlistMode>(),
	publicKeys: json(listOf(isPartnerKey)),
	expiresAtMs: nullable(integer()),
	lastUsedAtMs: nullable(integer()),
	lastUsedIp: text(),
	dormancyWarnedAtMs: nullable(integer()),
	disabledReason: nullable(text<DisabledReason>()),
	enabledAtMs: nullable(integer()),
	accessRequestId: nullable(text()),
	createdBy: nullable(text()),
	...timestamps,
});
export const apiClientsWithSecrets = storedClients.without("dormancyWarnedAtMs", "enabledAtMs");
export const apiClients = apiClientsWithSecrets.without("secretSealed", "previousSecretSealed");

export const apiClientNotices = table("api_client_notices", KEPT, {
	tenantId: text(),
	clientId: key(text()),
	expiresAtMs: key(integer()),
	daysBefore: key(integer()),
	noticedAtMs: integer(),
});

export const allowlistMisses = table("allowlist_misses", KEPT, {
	tenantId: text(),
	clientId: key(text()),
	ip: key(text()),
	requests: integer(),
	firstSeenAtMs: integer(),
	lastSeenAtMs: integer(),
});

/** A restore sets the floor above all of them, and a dump must not hold a table that is emptied every few hours. */
export const nonces = [0, 1, 2, 3, 4, 5].map((hour) =>
	table(`nonces_${hour}`, OMITTED, { digest: key(text()) }),
);
export const nonceRing = table("nonce_ring", OMITTED, {
	id: key(integer()),
	floor: integer(),
	ceiling: integer(),
});

export const nonceBatches = table("nonce_batches", EMPTIED, { id: key(integer()), claims: text() });
