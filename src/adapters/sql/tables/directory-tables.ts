// Tables of directories, and of the people and groups that they fill.

import type { Adoption, DefaultGrant, OnRemove } from "../../../domain/directory.ts";
import { isMembers, isText, listOf, objectOf } from "../../../kernel/shape.ts";
import { commaList, flag, integer, json, nullable, ofTenant, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, KEPT } from "../table-policy.ts";

const TOKEN_KEPT = "authenticates a directory, like the Secrets of API clients, which a restore keeps too";

export const directoriesWithDigests = table(
	"directories",
	{
		issuerId: text(),
		tenantId: text(),
		domains: commaList(),
		groupPrefix: text(),
		defaultGrants: json<readonly DefaultGrant[]>(
			listOf(objectOf({ appId: isText, roleIds: listOf(isText) })),
		),
		onRemove: text<OnRemove>(),
		adopt: text<Adoption>(),
		clientId: nullable(text()),
		tokenDigest: text(),
		tokenHint: text(),
		previousTokenDigest: nullable(text()),
		previousTokenExpiresAtMs: nullable(integer()),
		...timestamps,
	},
	{
		key: ["issuer_id"],
		restore: { rows: "kept", harmless: { token_digest: TOKEN_KEPT, previous_token_digest: TOKEN_KEPT } },
	},
);
export const directories = directoriesWithDigests.without("tokenDigest", "previousTokenDigest");

export const directoryPeople = table(
	"directory_people",
	{
		userId: text(),
		tenantId: text(),
		issuerId: text(),
		userNameKey: text(),
		displayNameKey: text(),
		externalId: text(),
		active: flag(),
		attributes: json(isMembers),
		...timestamps,
	},
	{ key: ["user_id"], restore: KEPT },
);

/** `place` is that in the list of the person. */
export const directoryEmails = table(
	"directory_emails",
	{
		userId: text(),
		place: integer(),
		tenantId: text(),
		issuerId: text(),
		valueKey: text(),
		type: text(),
		isPrimary: flag(),
	},
	{ key: ["user_id", "place"], restore: KEPT },
);

export const directoryGroups = table(
	"directory_groups",
	{
		groupId: text(),
		tenantId: text(),
		issuerId: text(),
		displayName: text(),
		displayNameKey: text(),
		externalId: text(),
		...timestamps,
	},
	{ key: ["group_id"], restore: KEPT },
);

export const directoryEvents = table(
	"directory_events",
	{
		...ofTenant,
		issuerId: text(),
		atMs: integer(),
		method: text(),
		path: text(),
		status: integer(),
		detail: text(),
		sent: text(),
		answered: text(),
		userId: nullable(text()),
		requestId: text(),
	},
	{ restore: EMPTIED },
);
