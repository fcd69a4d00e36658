// The device flow (RFC 8628): what a device gets, what its user sees, and the decision. Latchkey serves the pages, not
// the library.

import type { Middleware, Payload } from "oidc-provider";
import { deviceNotFound, POLL_SECONDS } from "../../domain/device-code.ts";
import type { OpenIdProvider } from "../../domain/openid-provider.ts";
import { REFRESH_ABSOLUTE_SECONDS, type Session } from "../../domain/session.ts";
import { DEFAULT_TENANT_SLUG } from "../../domain/tenant.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { AppError, found } from "../../kernel/error.ts";
import { isMembers } from "../../kernel/shape.ts";
import { insertGrant } from "./grants.ts";
import { theCall } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";
import type { Records } from "./records.ts";
import { askedIn, grantedScopes, scopeOf, scopesIn } from "./scopes.ts";
import { sessionPayload } from "./session-payload.ts";

/** How long an expired device code is kept, so that a device that polls learns that it has expired. */
export const DEVICE_CODE_KEPT_SECONDS = 3_600;

/** What is stored about a device that requests a code. */
export function deviceOf(): Payload {
	return { ip: theCall().origin.ip };
}

/**
 * Adds the verification page of the client's tenant and the polling interval to the response of RFC 8628, section 3.2.
 * The library knows one page for all tenants, and no interval.
 */
export function completeDeviceResponse(parts: ProviderParts): Middleware {
	return async (context, next) => {
		await next();
		const { oidc, body } = context;
		if (oidc?.route !== "device_authorization" || !isMembers(body) || typeof body.user_code !== "string")
			return;
		const page = await pageOf(parts, String(oidc.client?.clientId));
		const complete = new URL(page);
		complete.searchParams.set("user_code", body.user_code);
		context.body = {
			...body,
			verification_uri: page.href,
			verification_uri_complete: complete.href,
			interval: POLL_SECONDS,
		};
	};
}

/** Names the tenant, unless it is the default one, which the page uses without a name. */
async function pageOf({ issuer, db }: ProviderParts, clientId: string): Promise<URL> {
	const page = new URL("/oauth/device", issuer);
	const client = await db.stores.oauthClients.findPresented(clientId);
	const tenant = client && (await db.stores.tenants.findById(client.tenantId));
	if (tenant !== undefined && tenant.slug !== DEFAULT_TENANT_SLUG)
		page.searchParams.set("tenant", tenant.slug);
	return page;
}

export function createDevices(
	{ db, clock, randomToken }: ProviderParts,
	records: Records,
): Pick<OpenIdProvider, "findDevice" | "approveDevice" | "denyDevice"> {
	const findUserCode = (userCode: string) => records.findUserCode(userCode, DEVICE_CODE_KEPT_SECONDS);
	return {
		async findDevice(userCode) {
			const device = await findUserCode(userCode);
			if (device === undefined) return undefined;
			const { payload, row } = device;
			return {
				clientId: payload.clientId,
				asked: askedIn(payload.params),
				ip: payload.deviceInfo.ip,
				createdAtMs: row.createdAtMs,
				expiresAtMs: row.expiresAtMs - DEVICE_CODE_KEPT_SECONDS * SECOND_MS,
			};
		},
		async approveDevice(userCode, { session, client, consent, record }) {
			const { payload, row } = found(await findUserCode(userCode), deviceNotFound);
			const grantId = randomToken();
			const { scopes, resources } = consent;
			const ofApis = grantedScopes(consent, payload.params.scope);
			const names = new Set([...scopes, ...scopesIn(Object.values(ofApis).join(" "))]);
			const scope = scopeOf([...names]);
			const resource = resources.length > 1 ? resources : resources[0];
			const grant = {
				id: grantId,
				session,
				client,
				granted: {
					...(scopes.length === 0 ? {} : { openid: { scope: scopes.join(" ") } }),
					...(Object.keys(ofApis).length === 0 ? {} : { resources: ofApis }),
				},
				nowMs: clock(),
				seconds: REFRESH_ABSOLUTE_SECONDS,
			};
			const approved = { ...payload, ...personOf(session), grantId, scope, resource };
			await db.transaction(async (stores) => {
				// Lock the session first: the same lock order as when a session ends.
				const isLive = await stores.sessions.hold(session.tenantId, session.userId, session.id);
				if (!isLive) throw new AppError("token.invalid", "access token is invalid or expired");
				await record(stores, async () => {
					const refusal = await insertGrant(stores, grant);
					if (refusal !== undefined) throw new Error(`no grant for an approved device: ${refusal}`);
					const isFirst = await records.decide(stores, row, approved, DEVICE_CODE_KEPT_SECONDS);
					if (!isFirst) throw deviceNotFound();
				});
			});
		},
		async denyDevice(userCode) {
			const { payload, row } = found(await findUserCode(userCode), deviceNotFound);
			const denied = { ...payload, error: "access_denied", errorDescription: "the user refused" };
			if (!(await records.decide(db.stores, row, denied, DEVICE_CODE_KEPT_SECONDS))) throw deviceNotFound();
		},
	};
}

/** Members that the library writes when a user decides at its own page. */
function personOf(session: Session): Payload {
	const { accountId, loginTs, acr, amr } = sessionPayload(session);
	return { accountId, authTime: loginTs, acr, amr, sid: session.id, sessionUid: session.id };
}
