// A link with which the IT of another organization sets up the sign-in of one domain.

import { DAY_MS, HOUR_MS } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import type { Administrator } from "./caller.ts";

/** Where the link leads, and where its trial sign-in ends. */
export const SET_UP_PAGE = "/set-up";
export const SET_UP_SECONDS_MIN = HOUR_MS / 1_000;
export const SET_UP_SECONDS_MAX = (7 * DAY_MS) / 1_000;

export interface SetUpLink {
	readonly id: string;
	readonly tenantId: string;
	readonly domainId: string;
	/** What the link has set up; null before the first save. */
	readonly issuerId: string | null;
	/** The application that the organization wants to use, shown on the page. */
	readonly applicationId: string | null;
	/** Of a trial sign-in with the present settings by an address of the domain; null before. */
	readonly testedAtMs: number | null;
	/** Who tried last: the address that the issuer sent, or the subject. `""` before the first trial. */
	readonly testedBy: string;
	readonly finishedAtMs: number | null;
	readonly expiresAtMs: number;
	readonly createdBy: string | null;
	readonly createdAtMs: number;
}

export interface SetUpLinkWithDigest extends SetUpLink {
	readonly tokenDigest: string;
}

/** As its holder presents it. */
export interface PresentedSetUpLink extends SetUpLink {
	readonly domain: string;
}

export type SetUpChanges = Partial<Pick<SetUpLink, "issuerId" | "testedAtMs" | "testedBy">>;

/** The holder of a link: no user, and without any role. */
export interface SetUpCaller extends Administrator {
	readonly userId: null;
	readonly link: PresentedSetUpLink;
}

export interface SetUpLinkStore {
	/** Inside a transaction: locks the link of the domain, if any, and keeps others from creating one in the tenant. */
	hold(tenantId: string, domain: string): Promise<void>;
	/** Replaces the link of the domain: its token is unknown from then on. */
	put(link: SetUpLinkWithDigest): Promise<void>;
	/**
	 * Only one that is neither finished nor expired, and whose domain has no issuer but its own. Searches all tenants: the token
	 * is unguessable.
	 */
	findPresented(tokenDigest: string, nowMs: number): Promise<PresentedSetUpLink | undefined>;
	/** The link that set up the issuer, in any state. */
	findByIssuer(tenantId: string, issuerId: string): Promise<PresentedSetUpLink | undefined>;
	/** The links of a tenant, one for each domain at most, in any state. */
	listAll(tenantId: string): Promise<PresentedSetUpLink[]>;
	/** Inside a transaction: locks the link. @returns false if it was finished or replaced, or has expired. */
	change(tenantId: string, id: string, changes: SetUpChanges, nowMs: number): Promise<boolean>;
	/**
	 * Inside a transaction: the link of the domain expires now, and gets this digest, so that its token is unknown also to a node
	 * whose clock is behind. @returns false if none is open.
	 */
	revoke(tenantId: string, domainId: string, tokenDigest: string, nowMs: number): Promise<boolean>;
	/** Once, before the link expires, and only after a trial sign-in. */
	finish(tenantId: string, id: string, nowMs: number): Promise<boolean>;
}

/** Also for a link that was used up, replaced, or has expired. */
export function setUpLinkInvalid(): AppError {
	return new AppError("token.invalid", "this link was finished or replaced, or has expired");
}
