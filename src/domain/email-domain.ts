// A domain of email addresses that a tenant proves to control, and the issuer at which its users sign in.

import { DAY_MS } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import { type NamedTarget, named } from "./audit.ts";
import type { IdentityProvider } from "./identity-provider.ts";

export const DOMAINS_MAX = 100;
/** Leaves room for the label of the record. */
export const DOMAIN_MAX = 240;
export const RECHECK_MS = DAY_MS;
/** Administrators are mailed when the record has been missing for this time, … */
export const NOTICE_AFTER_MS = 3 * DAY_MS;
/** … and from then on, the domain is unverified. */
export const UNPROVED_AFTER_MS = 30 * DAY_MS;

/** What the last query found: the record, no such record, or no usable response. */
export const RECORD_RESULTS = ["found", "missing", "unanswered"] as const;
export type RecordResult = (typeof RECORD_RESULTS)[number];

/** Reads every TXT record of a name, each in one piece. Never waits longer than a few seconds. */
export type ReadTxt = (name: string) => Promise<{
	/** None if the name does not exist or has no such record; undefined if no name server gave a usable response. */
	readonly records: readonly string[] | undefined;
	/** For the administrator, such as `ENOTFOUND`. */
	readonly response: string;
}>;

export interface EmailDomain {
	readonly id: string;
	readonly tenantId: string;
	/** Lower case, ASCII. */
	readonly domain: string;
	/** Where its users sign in. */
	readonly issuerId: string | null;
	/** Of the TXT record: random for each row, so that it proves nothing for another tenant. */
	readonly recordValue: string;
	/** Whether its users sign in nowhere else. Only while it is verified. */
	readonly enforce: boolean;
	/** One tenant of the installation at a time: decided by a unique index. */
	readonly verifiedAtMs: number | null;
	readonly recordSeenAtMs: number | null;
	/** When a verified domain is checked again; null for others, whose names no job looks up. */
	readonly nextCheckAtMs: number | null;
	/** When administrators were mailed that the record is missing. */
	readonly noticedAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export type EmailDomainChanges = Partial<
	Omit<EmailDomain, "id" | "tenantId" | "domain" | "recordValue" | "createdAtMs" | "updatedAtMs">
>;

/** Where the addresses of a verified domain sign in. */
export interface DomainRoute extends Pick<IdentityProvider, "provider" | "displayName"> {
	readonly domain: string;
	readonly issuerId: string;
	readonly enforce: boolean;
	/** Whether the issuer signs users in now. */
	readonly isOpen: boolean;
}

export interface EmailDomainStore {
	/** Call inside a transaction. Locking the row of the tenant makes `DOMAINS_MAX` exact. */
	insert(domain: EmailDomain): Promise<"inserted" | "taken" | "too_many">;
	find(tenantId: string, domain: string): Promise<EmailDomain | undefined>;
	list(tenantId: string, page: PageQuery): Promise<Page<EmailDomain>>;
	/** `taken`: another tenant holds the domain that `changes` would verify. */
	update(
		tenantId: string,
		id: string,
		changes: EmailDomainChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "taken">;
	remove(tenantId: string, id: string): Promise<boolean>;
	/** The route of a verified domain with an issuer. Every sign-in reads this. */
	findRoute(tenantId: string, domain: string): Promise<DomainRoute | undefined>;
	/** The domains of an issuer, by name. */
	listOfIssuer(tenantId: string, issuerId: string): Promise<EmailDomain[]>;
	/** Inside a transaction: of several nodes, one gets a domain that is due, and none until `nextCheckAtMs`. */
	claimDue(nowMs: number, nextCheckAtMs: number): Promise<EmailDomain | undefined>;
}

export function domainTarget({ id, domain }: Pick<EmailDomain, "id" | "domain">): NamedTarget {
	return named("domain", id, domain);
}

/** The name of its TXT record. */
export function recordName(domain: string): string {
	return `_latchkey.${domain}`;
}

/** Also used for a domain of another tenant. */
export function domainNotFound(): AppError {
	return new AppError("domain.not_found", "no such domain");
}

/** @param why what DNS returned */
export function domainUnverified(why: string): AppError {
	return new AppError("domain.unverified", `the domain is not verified: ${why}`);
}

/** The same for every address of the domain, whether it has an account or not. */
export function signInEnforced(): AppError {
	return new AppError("sign_in.enforced", "people of this domain sign in with their organization's account");
}
