// What a user has allowed a third-party application to get.

import type { Page, PageQuery } from "../kernel/page.ts";
import type { Application } from "./application.ts";
import type { ApiScopes } from "./oauth-scope.ts";

export interface OAuthConsent {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	readonly clientId: string;
	/** OpenID scopes. */
	readonly scopes: readonly string[];
	/** APIs (RFC 8707) for which the application may get tokens. */
	readonly resources: readonly string[];
	/** What the application may do there. */
	readonly apiScopes: ApiScopes;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** As shown to its user. */
export interface ListedConsent extends OAuthConsent {
	readonly application: Pick<Application, "kind" | "name" | "homepageUrl" | "logoUrl">;
}

/** What an application requests, as sent: a scope of an API counts for each of the APIs that has it. */
export interface RequestedScopes {
	readonly scopes: readonly string[];
	readonly resources: readonly string[];
}

/** What an application requests, by API. */
export type RequestedConsent = Pick<OAuthConsent, "scopes" | "resources" | "apiScopes">;

export interface OAuthConsentStore {
	/** One per user and client. */
	find(userId: string, clientId: string): Promise<OAuthConsent | undefined>;
	/** Newest first. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<ListedConsent>>;
	/** Inside a transaction: locks the consent until its end. @returns whether there is one. */
	hold(userId: string, clientId: string): Promise<boolean>;
	/** @returns the removed consent; undefined for all but one of concurrent callers. */
	remove(tenantId: string, userId: string, id: string): Promise<OAuthConsent | undefined>;
	/** Inside a transaction: adds to the user's earlier consent. */
	add(consent: OAuthConsent): Promise<void>;
}

/** Whether the consent covers everything that is requested. `offline_access` gives an application nothing. */
export function covers(
	consent: RequestedConsent | undefined,
	{ scopes, resources, apiScopes }: RequestedConsent,
): boolean {
	return (
		consent !== undefined &&
		scopes.every((scope) => scope === "offline_access" || consent.scopes.includes(scope)) &&
		resources.every((resource) => consent.resources.includes(resource)) &&
		Object.entries(apiScopes).every(([resource, names]) =>
			names.every((name) => consent.apiScopes[resource]?.includes(name)),
		)
	);
}
