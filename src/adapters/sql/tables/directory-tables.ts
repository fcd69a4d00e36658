// Tables of directories, and of the people and groups that they fill.

import type { Adoption, DefaultGrant, OnRemove } from "../../../domain/directory.ts";
import { isMembers, isText, listOf, objectOf } from "../../../kernel/shape.ts";
import { commaList, flag, integer, json, key, nullable, ofTenant, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, KEPT, keptWith } from "../table-policy.ts";

const TOKEN_KEPT = "authenticates a directory, like the Secrets of API clients, which a restore keeps too";

export const directoriesWithDigests = table(
	"directories",
	keptWith({ token_digest: TOKEN_KEPT, previous_token_digest: TOKEN_KEPT }),
	{
		issuerId: key(text()),
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
);
export const directories = directoriesWithDigests.without("tokenDigest", "previousTokenDigest");

export const directoryPeople = table("directory_people", KEPT, {
	userId: key(text()),
	tenantId: text(),
	issuerId: text(),
	userNameKey: text(),
	displayNameKey: text(),
	externalId: text(),
	active: flag(),
	attributes: json(isMembers),
	...timestamps,
});

/** `place` is that in the list of the person. */
export const directoryEmails = table("directory_emails", KEPT, {
	userId: key(text()),
	place: key(integer()),
	tenantId: text(),
	issuerId: text(),
	valueKey: text(),
	type: text(),
	isPrimary: flag(),
});

export const directoryGroups = table("directory_groups", KEPT, {
	groupId: key(text()),
	tenantId: text(),
	issuerId: text(),
	displayName: text(),
	displayNameKey: text(),
	externalId: text(),
	...timestamps,
});

export const directoryEvents = table("directory_events", EMPTIED, {
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
});
