// An application that users sign in to.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { GrantUse } from "./grant.ts";
import type { ManagedBy } from "./tenant.ts";

/** `open`: every active user of the tenant may use it; `assigned`: only those with a grant. */
export const ACCESS_POLICIES = ["open", "assigned"] as const;
export type AccessPolicy = (typeof ACCESS_POLICIES)[number];
export const APPLICATION_STATUSES = ["active", "disabled"] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

/** A `program` was reviewed and is managed under `/programs`. */
export const APPLICATION_KINDS = ["application", "program"] as const;
export type ApplicationKind = (typeof APPLICATION_KINDS)[number];

export interface Application {
	readonly id: string;
	readonly tenantId: string;
	readonly kind: ApplicationKind;
	readonly name: string;
	/** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters, unique within the tenant. */
	readonly slug: string;
	readonly description: string;
	readonly homepageUrl: string;
	readonly logoUrl: string;
	readonly redirectUris: readonly string[];
	readonly accessPolicy: AccessPolicy;
	readonly status: ApplicationStatus;
	/** Whether only a sign-in with a second factor opens or keeps a session of this application. */
	readonly requireMfa: boolean;
	/** Whether supporters may read at it what a person sees there. */
	readonly supportSessions: boolean;
	/** See `ApplicationSignIns`. */
	readonly lastSignInAtMs: number | null;
	/** The request whose approval created it. */
	readonly accessRequestId: string | null;
	/** Of the roles that people may request; null: they may request none. An empty list: only access. */
	readonly requestableRoleIds: readonly string[] | null;
	/** How long a request may last: `LONGEST`. */
	readonly requestableLongest: string | null;
	/** The group that decides such requests, in addition to reviewers and administrators. */
	readonly requestableReviewers: string | null;
	readonly managedBy: ManagedBy | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** `requireMfa` and `supportSessions` default to false, `kind` to `application`, the others to null. No user has signed in to it. */
export type ApplicationToInsert = Omit<Application, Defaulted | "lastSignInAtMs"> &
	Partial<Pick<Application, Defaulted>>;
type Defaulted =
	| "requireMfa"
	| "supportSessions"
	| "kind"
	| "accessRequestId"
	| "managedBy"
	| keyof typeof NOT_REQUESTABLE;

export const NOT_REQUESTABLE = {
	requestableRoleIds: null,
	requestableLongest: null,
	requestableReviewers: null,
} as const;

/** The fields an update may change; absent means unchanged. */
export type ApplicationChanges = Partial<
	Omit<
		Application,
		| "id"
		| "tenantId"
		| "kind"
		| "lastSignInAtMs"
		| "accessRequestId"
		| "managedBy"
		| "createdAtMs"
		| "updatedAtMs"
	>
>;

/**
 * The first that applies. `openid`: with its OAuth client; `gate`: its gate signs browsers in; `none`: no user signs in
 * to it.
 */
export const SIGN_IN_WAYS = ["openid", "gate", "none"] as const;

/** How an application is used. Counts stop at `USAGE_COUNT_MAX`. */
export interface ApplicationUsage {
	readonly signIn: (typeof SIGN_IN_WAYS)[number];
	/** Users with a grant, own or by a group. */
	readonly users: number;
	readonly apiClients: number;
}

export const USAGE_COUNT_MAX = 1_000;

/** The last sign-in to an application. */
export interface ApplicationSignIn {
	readonly appId: string;
	readonly atMs: number;
}

/** Buffers the uses of applications, so that they lock no row. Both methods are cheap. */
export interface ApplicationSignIns {
	/** A sign-in, which is a use: when a session of the application opens, or when its OAuth client exchanges a code. */
	note(use: GrantUse & ApplicationSignIn): void;
	noteUse(use: GrantUse): void;
}

/** Limits: lengths in code points, lists in entries. */
export const APPLICATION_NAME_MAX = 200;
export const APPLICATION_DESCRIPTION_MAX = 2000;
export const SLUG_MAX = 64;
export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const REDIRECT_URIS_MAX = 20;
export const REDIRECT_URI_MAX = 2048;

/** `-` and the last eight hexadecimal digits of the application's id. */
const SLUG_SUFFIX_LENGTH = 9;

/**
 * Slugs to try for an application that is created without one, in order: its name in ASCII letters and digits (`app`
 * if it has none), then the same with a suffix from its id.
 */
export function slugCandidates(name: string, id: string): readonly [string, string] {
	const words = name
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.match(/[a-z0-9]+/g);
	const slug = (words ?? ["app"])
		.join("-")
		.slice(0, SLUG_MAX - SLUG_SUFFIX_LENGTH)
		.replace(/-$/, "");
	return [slug, `${slug}-${id.slice(-8)}`];
}

export function applicationNotFound(): AppError {
	return new AppError("application.not_found", "no such application");
}

export interface ApplicationQuery {
	readonly tenantId: string;
	/** Part of name or slug, ignoring case and accents. */
	readonly q?: string;
	readonly status?: ApplicationStatus;
	/** Only those that an approval created, or only the others. */
	readonly isFromRequest?: boolean | undefined;
	/** Only those whose OAuth client has a secret. */
	readonly hasClientSecret?: boolean | undefined;
	/**
	 * Only applications this user may use: active ones that are `open`, or granted to the user or one of their groups.
	 */
	readonly usableBy?: string;
}

export interface RemovedWithApplication {
	readonly roles: number;
	readonly grants: number;
	readonly apiClients: number;
}

export interface ApplicationStore {
	/** @returns false when the slug is taken. */
	insert(application: ApplicationToInsert): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<Application | undefined>;
	list(query: ApplicationQuery, page: PageQuery): Promise<Page<Application>>;
	/** By id, for at most a page of applications. */
	listUsage(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, ApplicationUsage>>;
	update(
		tenantId: string,
		id: string,
		changes: ApplicationChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "slug_taken">;
	/** Ignores sign-ins before the stored one. */
	noteSignIns(signIns: readonly ApplicationSignIn[]): Promise<void>;
	/**
	 * Also deletes its roles, grants and API clients.
	 *
	 * @returns how many of each; undefined if there is no such application.
	 */
	remove(tenantId: string, id: string): Promise<RemovedWithApplication | undefined>;
}
