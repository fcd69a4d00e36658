// Tables of the installation, and its tenants.

import { acmeAccountContext, acmeKeyContext } from "../../../domain/acme-certificate.ts";
import type { LogoVariant } from "../../../domain/image.ts";
import { derivationRootContext } from "../../../domain/keyed-digests.ts";
import {
	idTokenKeyContext,
	type StoredIdTokenKey,
	type StoredSigningKey,
	signingKeyContext,
} from "../../../domain/signing-key.ts";
import type { ManagedBy } from "../../../domain/tenant.ts";
import { isText, listOf, objectOf, type Shape } from "../../../kernel/shape.ts";
import { flag, foldedFrom, integer, json, key, nullable, sealed, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { KEPT, keptWith, type Repair } from "../table-policy.ts";

export const meta = table("meta", KEPT, { key: key(text()), value: text() });

export const tenants = table("tenants", KEPT, {
	id: key(text()),
	name: text(),
	nameFolded: foldedFrom("name"),
	slug: text(),
	requireMfa: flag(),
	senderAddresses: json(listOf(isText)),
	programRequests: flag(),
	mailedCode: flag(),
	testClients: flag(),
	managedBy: nullable(text<ManagedBy>()),
	brandingManagedBy: nullable(text<ManagedBy>()),
	dormantAfterDays: nullable(integer()),
	clientDormantAfterDays: nullable(integer()),
	partnerKeysNeedReview: flag(),
	secondFactorHelp: flag(),
	...timestamps,
});

export const tenantBrands = table("tenant_brands", KEPT, {
	tenantId: key(text()),
	productName: text(),
	logoUrl: text(),
	logoDarkUrl: text(),
	iconUrl: text(),
	accentColor: text(),
	supportEmail: text(),
	senderName: text(),
	senderAddress: text(),
	signInText: text(),
	footerLinks: json(listOf(objectOf({ label: isText, url: isText }))),
	cornerRadius: nullable(integer()),
	updatedAtMs: integer(),
});

export const images = table("images", keptWith({ digest: "names a public image" }), {
	subjectId: key(text()),
	variant: key(text<LogoVariant>()),
	tenantId: text(),
	digest: text(),
	content: text(),
	updatedAtMs: integer(),
});

const isEcJwk: Shape<StoredSigningKey["publicJwk"]> = objectOf({
	kty: isText,
	crv: isText,
	x: isText,
	y: isText,
});
const isRsaJwk: Shape<StoredIdTokenKey["publicJwk"]> = objectOf({ kty: isText, n: isText, e: isText });

export const signingKeys = table("signing_keys", KEPT, {
	kid: key(text()),
	publicJwk: json(isEcJwk),
	privateSealed: sealed(signingKeyContext),
	createdAtMs: integer(),
	signsFromMs: integer(),
	withdrawnAtMs: nullable(integer()),
});

export const idTokenKeys = table("id_token_keys", KEPT, {
	kid: key(text()),
	alg: text<StoredIdTokenKey["alg"]>(),
	number: integer(),
	publicJwk: json(isRsaJwk),
	privateSealed: sealed(idTokenKeyContext),
	createdAtMs: integer(),
	signsFromMs: integer(),
	withdrawnAtMs: nullable(integer()),
});

export const derivationRoots = table("derivation_roots", KEPT, {
	id: key(text()),
	rootSealed: sealed(derivationRootContext),
	createdAtMs: integer(),
});

export const acmeCertificates = table("acme_certificates", KEPT, {
	domain: key(text()),
	directory: text(),
	accountKeySealed: sealed(acmeAccountContext),
	accountUrl: nullable(text()),
	certificate: nullable(text()),
	keySealed: nullable(sealed(acmeKeyContext)),
	validFromMs: nullable(integer()),
	validToMs: nullable(integer()),
	challengeToken: nullable(text()),
	keyAuthorization: nullable(text()),
	leasedUntilMs: integer(),
	nextAttemptAtMs: integer(),
	failures: integer(),
	lastError: nullable(text()),
});

function recount(table: string): Repair {
	return {
		description: "",
		sql: () => `INSERT INTO row_counts (tenant_id, table_name, value, part, total)
			SELECT tenant_id, '${table}', status, 0, count(*) FROM ${table} GROUP BY tenant_id, status`,
	};
}

export const rowCounts = table(
	"row_counts",
	// The numbers of the parts are transaction ids of the old database.
	{
		rows: "emptied",
		repairs: [
			{ description: "", sql: () => "DELETE FROM row_counts" },
			recount("users"),
			recount("requests"),
		],
	},
	{
		tenantId: key(text()),
		tableName: key(text()),
		value: key(text()),
		part: key(integer()),
		total: integer(),
	},
);
