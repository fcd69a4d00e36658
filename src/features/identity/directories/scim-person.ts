// Reads what a directory says about a person, and derives the fields of the account.

import { sha256Hex } from "../../../crypto/digest.ts";
import {
	ATTRIBUTES_MAX_BYTES,
	type DirectoryEmail,
	type PersonChanges,
	type ScimAttributes,
} from "../../../domain/directory.ts";
import { localeOfRequest } from "../../../domain/locale.ts";
import { CLAIM_VALUE_MAX } from "../../../domain/oauth-client.ts";
import { valuesAt } from "../../../domain/scim-filter.ts";
import { isProviderUserId } from "../../../domain/third-party-account.ts";
import { parseEmailAddress } from "../../../kernel/email-address.ts";
import { isMembers, type Members } from "../../../kernel/shape.ts";
import { plainName } from "../third-party/new-account.ts";
import { invalidValue, syntax } from "./scim-patch.ts";

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const ENTERPRISE_SCHEMA = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";

const USER_NAME_MAX = 256;
const EMAILS_MAX = 20;
/** Deeper than any attribute of RFC 7643. */
const DEPTH_MAX = 6;
/** Names whose case is settled when they are stored. */
const NAMES = [
	"userName",
	"externalId",
	"displayName",
	"active",
	"emails",
	"name",
	"locale",
	"members",
] as const;
const BY_LOWER: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [name.toLowerCase(), name]));
/** Decided here, or never stored. */
const DROPPED: readonly string[] = ["id", "meta", "schemas", "groups", "password"];

/** The fields that the service reads. */
export interface ScimPerson {
	readonly userName: string;
	/** `""` without one. */
	readonly externalId: string;
	readonly active: boolean;
	readonly emails: readonly DirectoryEmail[];
	/** The primary address in canonical form. */
	readonly email: string | undefined;
	readonly displayName: string;
	readonly locale: string | null;
	readonly attributes: ScimAttributes;
}

/**
 * The attributes of a body that creates or replaces a resource.
 *
 * @throws AppError `scim.invalid_syntax`, `scim.invalid_value`.
 */
export function readResource(body: unknown, schema: string): ScimAttributes {
	const { schemas } = isMembers(body) ? body : {};
	if (!isMembers(body) || !Array.isArray(schemas) || !schemas.some((name) => isNamed(name, schema)))
		throw syntax(`schemas must contain ${schema}`);
	return body;
}

function isNamed(name: unknown, schema: string): boolean {
	return typeof name === "string" && name.toLowerCase() === schema.toLowerCase();
}

/** Settles the case of known names and leaves out what is not stored. @throws AppError `scim.invalid_value`. */
export function settled(resource: Members): ScimAttributes {
	checkDepth(resource, DEPTH_MAX);
	const attributes: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(resource)) {
		const lower = name.toLowerCase();
		if (!DROPPED.includes(lower) && value !== null) attributes[BY_LOWER.get(lower) ?? name] = value;
	}
	return attributes;
}

/** Also refuses texts that cannot be stored. @throws AppError `scim.invalid_value`. */
export function checkDepth(value: unknown, depth: number): void {
	if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed()))
		throw invalidValue("a text contains characters that cannot be stored");
	if (typeof value !== "object" || value === null) return;
	if (depth === 0) throw invalidValue("attributes are nested too deep");
	for (const [name, member] of Object.entries(value)) {
		checkDepth(name, depth);
		checkDepth(member, depth - 1);
	}
}

/** @throws AppError `scim.invalid_value`. */
export function readPerson(resource: Members): ScimPerson {
	const given = settled(resource);
	const userName = textIn(given, "userName").trim();
	if (userName === "" || [...userName].length > USER_NAME_MAX)
		throw invalidValue(`userName must have 1 to ${USER_NAME_MAX} characters`);
	const externalId = textIn(given, "externalId");
	if (externalId !== "" && !isProviderUserId(externalId))
		throw invalidValue("externalId must have 1 to 255 characters, not only spaces");
	const active = isTrue(given.active ?? true, "active");
	const emails = emailsIn(given);
	const attributes = { ...given, userName, active };
	if (Buffer.byteLength(JSON.stringify(attributes)) > ATTRIBUTES_MAX_BYTES)
		throw invalidValue(`the attributes of a person must be at most ${ATTRIBUTES_MAX_BYTES / 1_024} KiB`);
	const locale = localeOfRequest(textIn(given, "locale"));
	const email = emails.find(({ isPrimary }) => isPrimary)?.valueKey;
	return { userName, externalId, active, emails, email, displayName: shownName(given), locale, attributes };
}

/** What the row of the person contains of it. */
export function rowOf(person: ScimPerson): Required<PersonChanges> {
	const { userName, attributes, externalId, active } = person;
	const displayName = attributes.displayName ?? "";
	return {
		userNameKey: userName.toLowerCase(),
		displayNameKey: typeof displayName === "string" ? displayName.toLowerCase() : "",
		externalId,
		active,
		attributes,
	};
}

/**
 * For claims of clients: the department, or the id of the manager, which is the `sub` of their tokens. `""` unless it is a
 * text of at most `CLAIM_VALUE_MAX` characters.
 */
export function enterpriseText(attributes: ScimAttributes, name: "department" | "manager"): string {
	const path = [ENTERPRISE_SCHEMA, name];
	const [text] = [...valuesAt(attributes, [...path, "value"]), ...valuesAt(attributes, path)];
	return typeof text === "string" && [...text].length <= CLAIM_VALUE_MAX ? text : "";
}

/**
 * Usernames to try in order: the part of `userName` before the `@`, then the same with a digest of the whole, as imports
 * derive them, and with a part of the user's id.
 */
export function usernamesFor(userName: string, userId: string): readonly [string, string, string] {
	const [local = ""] = userName.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().split("@", 1);
	const name = local
		.replaceAll(/[^a-z0-9._-]+/g, "-")
		.replace(/^[._-]+/, "")
		.slice(0, 50);
	const first = name.length < 3 ? `user-${name}`.replace(/-$/, "") : name;
	return [
		first,
		`${first}-${sha256Hex(userName.toLowerCase()).slice(0, 8)}`,
		`${first}-${userId.slice(-12)}`,
	];
}

function textIn(attributes: ScimAttributes, name: string): string {
	const value = attributes[name] ?? "";
	if (typeof value !== "string") throw invalidValue(`${name} must be a text`);
	return value;
}

/** Entra ID sends `"True"` and `"False"`. */
function isTrue(value: unknown, name: string): boolean {
	const text = typeof value === "string" ? value.toLowerCase() : JSON.stringify(value);
	if (text !== "true" && text !== "false") throw invalidValue(`${name} must be true or false`);
	return text === "true";
}

/** The first one marked as primary is, or else the first of type `work`, or else the first. */
function emailsIn({ emails = [] }: ScimAttributes): DirectoryEmail[] {
	const given = [emails].flat();
	if (given.length > EMAILS_MAX) throw invalidValue(`emails must be at most ${EMAILS_MAX}`);
	const read = given.map((email) => {
		const { value, type = "", primary = false } = isMembers(email) ? email : { value: email };
		const address = typeof value === "string" ? parseEmailAddress(value) : undefined;
		if (address === undefined) throw invalidValue("emails must be objects whose value is an email address");
		return {
			valueKey: address,
			type: typeof type === "string" ? type.toLowerCase() : "",
			isPrimary: isTrue(primary ?? false, "primary"),
		};
	});
	const primary =
		read.find(({ isPrimary }) => isPrimary) ?? read.find(({ type }) => type === "work") ?? read[0];
	return read.map((email) => ({ ...email, isPrimary: email === primary }));
}

function shownName(attributes: ScimAttributes): string {
	const { displayName, name } = attributes;
	const { formatted, givenName, familyName } = isMembers(name) ? name : {};
	const parts = [givenName, familyName].filter((part) => typeof part === "string").join(" ");
	const shown = [displayName, formatted, parts].find(
		(text) => typeof text === "string" && text.trim() !== "",
	);
	return plainName(typeof shown === "string" ? shown : null);
}
