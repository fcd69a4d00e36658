// What a device gets with its codes (RFC 8628, section 3.2): the page for its person, and how often it may ask.

import type { Context, Payload } from "oidc-provider";
import { POLL_SECONDS } from "../../domain/device-code.ts";
import { DEFAULT_TENANT_SLUG } from "../../domain/tenant.ts";
import type { ProviderParts } from "./parts.ts";

/** The library names one page for all tenants, and no interval. */
export function completeDeviceAnswer(parts: ProviderParts) {
	return async (context: Context, next: () => Promise<void>): Promise<void> => {
		await next();
		const answer = context.body as Payload | undefined;
		if (context.oidc?.route !== "device_authorization" || typeof answer?.user_code !== "string") return;
		const page = await pageOf(parts, String(context.oidc.client?.clientId));
		const complete = new URL(page);
		complete.searchParams.set("user_code", answer.user_code);
		context.body = {
			...answer,
			verification_uri: page.href,
			verification_uri_complete: complete.href,
			interval: POLL_SECONDS,
		};
	};
}

/** Names the tenant where a person would sign in to another one without it. */
async function pageOf({ issuer, db }: ProviderParts, clientId: string): Promise<URL> {
	const page = new URL("/oauth/device", issuer);
	const client = await db.stores.oauthClients.findPresented(clientId);
	const tenant = client && (await db.stores.tenants.findById(client.tenantId));
	if (tenant !== undefined && tenant.slug !== DEFAULT_TENANT_SLUG)
		page.searchParams.set("tenant", tenant.slug);
	return page;
}
