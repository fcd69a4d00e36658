// A directory (SCIM 2.0): the people and groups that an issuer of the tenant fills.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { EndedMember } from "./group.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { ScimFilter } from "./scim-filter.ts";
import type { User } from "./user.ts";

export const DIRECTORY_DOMAINS_MAX = 100;
export const DEFAULT_GRANTS_MAX = 20;
export const DEFAULT_GRANT_ROLES_MAX = 50;
export const GROUP_PREFIX_MAX = 40;
/** Of what a directory says about one person, as JSON. */
export const ATTRIBUTES_MAX_BYTES = 8 * 1_024;
export const MEMBERS_MAX = 10_000;
export const RESOURCES_PER_PAGE = 100;
export const DIRECTORY_EVENTS_KEPT = 1_000;

/** The content type of SCIM. */
export const SCIM_TYPE = "application/scim+json; charset=utf-8";

/** What happens to a person whom the directory deletes. */
export const ON_REMOVE = ["disable", "delete"] as const;
export type OnRemove = (typeof ON_REMOVE)[number];
/** Whom it may adopt in addition to those who signed in with its issuer: by an address in a domain verified for the issuer. */
export const ADOPTIONS = ["off", "verified_email"] as const;
export type Adoption = (typeof ADOPTIONS)[number];

/** Access that every person of the directory gets when it creates or adopts them. */
export interface DefaultGrant {
	readonly appId: string;
	/** Ids of roles of the application. */
	readonly roleIds: readonly string[];
}

/** What an administrator configures. */
export interface DirectorySettings {
	/** The only domains of email addresses, in lower case; empty: any. */
	readonly domains: readonly string[];
	/** Begins the name of every group of the directory. */
	readonly groupPrefix: string;
	readonly defaultGrants: readonly DefaultGrant[];
	readonly onRemove: OnRemove;
	readonly adopt: Adoption;
	/** The service whose client-credentials tokens are accepted instead of the token. */
	readonly clientId: string | null;
}

export interface Directory extends DirectorySettings {
	/** A directory has the id of its issuer. */
	readonly issuerId: string;
	readonly tenantId: string;
	/** Last four characters of the token. */
	readonly tokenHint: string;
	readonly previousTokenExpiresAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** The stored form of the tokens; see `tokenDigest`. */
export interface DirectoryTokenDigests {
	readonly tokenDigest: string;
	/** Valid until `previousTokenExpiresAtMs`; never valid without that time. */
	readonly previousTokenDigest: string | null;
}

export type StoredDirectory = Directory & DirectoryTokenDigests;
export type NewDirectoryToken = DirectoryTokenDigests &
	Pick<Directory, "tokenHint" | "previousTokenExpiresAtMs">;

/** With what its requests need of the issuer. */
export interface PresentedDirectory extends StoredDirectory {
	/** The slug under which the accounts of its people are linked. */
	readonly provider: string;
	readonly displayName: string;
}

/** The digests of the tokens that are valid now, current first. Compare with `matchesDigest`, in constant time. */
export function liveDirectoryTokens(directory: StoredDirectory, nowMs: number): string[] {
	const { tokenDigest, previousTokenDigest, previousTokenExpiresAtMs: until } = directory;
	return previousTokenDigest !== null && until !== null && nowMs < until
		? [tokenDigest, previousTokenDigest]
		: [tokenDigest];
}

/** JSON as the directory sent it: without `id`, `meta`, `schemas`, and `password`. */
export type ScimAttributes = Readonly<Record<string, unknown>>;

/** What the directory says about a user. The account itself is in `users`. */
export interface DirectoryPerson {
	readonly userId: string;
	readonly tenantId: string;
	readonly issuerId: string;
	/** `userName` and `displayName`, in lower case. */
	readonly userNameKey: string;
	readonly displayNameKey: string;
	/** The id of the user at the issuer; `""` without one. */
	readonly externalId: string;
	readonly active: boolean;
	readonly attributes: ScimAttributes;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** An email address of a person, for searches. */
export interface DirectoryEmail {
	/** In lower case. */
	readonly valueKey: string;
	readonly type: string;
	readonly isPrimary: boolean;
}

export type PersonChanges = Partial<
	Pick<DirectoryPerson, "userNameKey" | "displayNameKey" | "externalId" | "active" | "attributes">
>;

export interface DirectoryGroup {
	readonly groupId: string;
	readonly tenantId: string;
	readonly issuerId: string;
	/** As the directory sent it, without the prefix. */
	readonly displayName: string;
	readonly displayNameKey: string;
	/** `""` without one. */
	readonly externalId: string;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export type DirectoryGroupChanges = Partial<
	Pick<DirectoryGroup, "displayName" | "displayNameKey" | "externalId">
>;

/** Which resources a list shows, oldest first. */
export interface ResourceQuery {
	readonly tenantId: string;
	readonly issuerId: string;
	/** Only attributes of `PERSON_ATTRIBUTES` or `GROUP_ATTRIBUTES`, with values of their types. */
	readonly filter: ScimFilter | undefined;
	readonly offset: number;
	readonly count: number;
}

/** A request of the directory, and the response. */
export interface DirectoryEvent {
	readonly id: string;
	readonly tenantId: string;
	readonly issuerId: string;
	readonly atMs: number;
	readonly method: string;
	/** Below `/scim/v2/{issuer_id}`, with its filter. */
	readonly path: string;
	readonly status: number;
	/** Why it was refused; `""` if it was not. */
	readonly detail: string;
	/** JSON, truncated; `""` without a body. */
	readonly sent: string;
	readonly answered: string;
	/** The user that it concerns, with whom it is deleted. */
	readonly userId: string | null;
	readonly requestId: string;
}

export interface DirectoryStore {
	/** @returns false if the issuer has a directory. */
	insert(directory: StoredDirectory): Promise<boolean>;
	find(tenantId: string, issuerId: string): Promise<Directory | undefined>;
	/** Inside a transaction: also locks the directory until its end. */
	findForUpdate(tenantId: string, issuerId: string): Promise<StoredDirectory | undefined>;
	/** Searches all tenants: the token authenticates. */
	findPresented(issuerId: string): Promise<PresentedDirectory | undefined>;
	update(
		tenantId: string,
		issuerId: string,
		changes: Partial<DirectorySettings> | NewDirectoryToken,
		nowMs: number,
	): Promise<boolean>;
	/** Its people and groups stay, and no longer belong to a directory. @returns false if there is none. */
	remove(tenantId: string, issuerId: string): Promise<boolean>;
	/** How many people and groups it has. */
	count(tenantId: string, issuerId: string): Promise<{ readonly people: number; readonly groups: number }>;
	/** Inside a transaction: keeps the newest `DIRECTORY_EVENTS_KEPT` of each directory. Ignores those of deleted ones. */
	addEvents(events: readonly DirectoryEvent[]): Promise<void>;
	/** Newest first. */
	listEvents(tenantId: string, issuerId: string, page: PageQuery): Promise<Page<DirectoryEvent>>;
	/** Newest first. */
	listEventsOf(tenantId: string, userId: string, page: PageQuery): Promise<Page<DirectoryEvent>>;
	/** Deletes events older than 30 days, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** One page of a list of SCIM. */
export interface Resources<T> {
	readonly items: readonly T[];
	readonly total: number;
}

export interface DirectoryPeopleStore {
	/** Inside a transaction. Unique indexes decide. @returns false if `userName` or `externalId` is taken in the directory. */
	insert(person: DirectoryPerson, emails: readonly DirectoryEmail[]): Promise<boolean>;
	find(tenantId: string, issuerId: string, userId: string): Promise<DirectoryPerson | undefined>;
	/** The directory of a user, if there is one. */
	findOfUser(tenantId: string, userId: string): Promise<DirectoryPerson | undefined>;
	list(query: ResourceQuery): Promise<Resources<DirectoryPerson>>;
	/** Those of `userIds` that are people of the directory, as users. */
	findUsers(
		tenantId: string,
		issuerId: string,
		userIds: readonly string[],
	): Promise<Pick<User, "id" | "username">[]>;
	/** Inside a transaction. @returns false if `userName` or `externalId` is taken in the directory. */
	update(
		person: DirectoryPerson,
		changes: PersonChanges,
		emails: readonly DirectoryEmail[],
		nowMs: number,
	): Promise<boolean>;
	/** The user stays. */
	remove(tenantId: string, userId: string): Promise<boolean>;
	/** Inside a transaction: ends the memberships of a user in the groups of the directory. @returns these groups. */
	leaveGroups(
		tenantId: string,
		issuerId: string,
		userId: string,
	): Promise<readonly { readonly id: string; readonly name: string }[]>;

	insertGroup(group: DirectoryGroup): Promise<void>;
	findGroup(tenantId: string, issuerId: string, groupId: string): Promise<DirectoryGroup | undefined>;
	listGroups(query: ResourceQuery): Promise<Resources<DirectoryGroup>>;
	updateGroup(
		tenantId: string,
		groupId: string,
		changes: DirectoryGroupChanges,
		nowMs: number,
	): Promise<boolean>;
	/** People of the directory who are members, by id, at most `MEMBERS_MAX` and one. */
	listMembers(tenantId: string, issuerId: string, groupId: string): Promise<readonly string[]>;
	/**
	 * Inside a transaction: adds people of the directory to a group.
	 *
	 * @returns those who were no members, and their memberships that were over.
	 */
	addMembers(
		tenantId: string,
		groupId: string,
		userIds: readonly string[],
		nowMs: number,
	): Promise<{ readonly added: readonly string[]; readonly ended: readonly EndedMember[] }>;
	/** Inside a transaction. @returns those who were members. */
	removeMembers(tenantId: string, groupId: string, userIds: readonly string[]): Promise<readonly string[]>;
}

/** Attributes by which people can be searched, with the type of their values. */
export const PERSON_ATTRIBUTES = {
	id: "exact",
	username: "text",
	externalid: "exact",
	displayname: "text",
	active: "boolean",
	"meta.lastmodified": "time",
	emails: "text",
	"emails.value": "text",
	"emails.type": "text",
	"emails.primary": "boolean",
} as const;
export const GROUP_ATTRIBUTES = {
	id: "exact",
	displayname: "text",
	externalid: "exact",
	"meta.lastmodified": "time",
	members: "exact",
	"members.value": "exact",
} as const;

export type AttributeType = "exact" | "text" | "boolean" | "time";

export function directoryNotFound(): AppError {
	return new AppError("directory.not_found", "the identity provider has no directory");
}

/** Also for people whom another directory, or none, manages. */
export function resourceNotFound(id: string): AppError {
	return new AppError("scim.not_found", `the directory has no resource ${id.slice(0, 64)}`);
}

/** What a directory decides about the accounts of its people. */
export const DIRECTORY_FIELDS = [
	"username",
	"email",
	"emailVerified",
	"displayName",
	"locale",
	"status",
] as const;

/** @throws AppError `user.of_directory` if a directory decides the field. */
export async function checkOfNoDirectory(
	{ directoryPeople }: { readonly directoryPeople: DirectoryPeopleStore },
	tenantId: string,
	userId: string,
	field = "the account",
): Promise<void> {
	if ((await directoryPeople.findOfUser(tenantId, userId)) !== undefined) throw ofDirectory(field);
}

export function ofDirectory(field: string): AppError {
	return new AppError(
		"user.of_directory",
		`${field} of this user is managed by a directory: change it there`,
	);
}

/** The URL below which a directory is served, and the resource of tokens for it (RFC 8707). */
export function directoryUrl(publicUrl: string, { id }: Pick<IdentityProvider, "id">): string {
	return `${publicUrl}/scim/v2/${id}`;
}
