// What a person has agreed that an application of others may get.

import type { Page, PageQuery } from "../kernel/page.ts";
import type { Application } from "./application.ts";

export interface OAuthConsent {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** The application. */
	readonly clientId: string;
	readonly scopes: readonly string[];
	/** APIs (RFC 8707) for which the application may get tokens. */
	readonly resources: readonly string[];
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** For its person. */
export interface ListedConsent extends OAuthConsent {
	readonly application: Pick<Application, "name" | "homepageUrl" | "logoUrl">;
}

/** What an application asks for. */
export type AskedConsent = Pick<OAuthConsent, "scopes" | "resources">;

export interface OAuthConsentStore {
	/** One for each person and client. */
	find(userId: string, clientId: string): Promise<OAuthConsent | undefined>;
	/** The one given first last. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<ListedConsent>>;
	/** Inside a transaction: keeps the consent until its end. @returns whether there is one. */
	hold(userId: string, clientId: string): Promise<boolean>;
	/** @returns the consent as it was; undefined for all but one of simultaneous callers. */
	remove(tenantId: string, userId: string, id: string): Promise<OAuthConsent | undefined>;
	/** Inside a transaction: adds to what the person has agreed to before. */
	add(consent: OAuthConsent): Promise<void>;
}

/** Whether nothing is asked for that was not consented to. */
export function covers(consent: AskedConsent | undefined, { scopes, resources }: AskedConsent): boolean {
	return (
		consent !== undefined &&
		scopes.every((scope) => consent.scopes.includes(scope)) &&
		resources.every((resource) => consent.resources.includes(resource))
	);
}
