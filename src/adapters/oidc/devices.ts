// Devices that wait for their person (RFC 8628): what the person sees, and the answers. The pages are ours, not the library's.

import type { Payload } from "oidc-provider";
import { deviceNotFound } from "../../domain/device-code.ts";
import type { OpenIdProvider } from "../../domain/openid-provider.ts";
import { REFRESH_ABSOLUTE_SECONDS, type Session } from "../../domain/session.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { AppError, found } from "../../kernel/error.ts";
import { theExchange } from "./exchange.ts";
import { insertGrant } from "./grants.ts";
import { askedIn } from "./interactions.ts";
import type { ProviderParts } from "./parts.ts";
import type { Records } from "./records.ts";
import { sessionPayload } from "./session-payload.ts";

/** How long a device code is known after its end: the device that asks then learns that it has expired. */
export const DEVICE_CODE_KEPT_SECONDS = 3_600;

/** What is kept of a device that asks for a code. */
export function deviceOf(): Payload {
	return { ip: theExchange().request.origin.ip };
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
				clientId: String(payload.clientId),
				asked: askedIn(payload.params as Payload),
				ip: String((payload.deviceInfo as Payload).ip),
				createdAtMs: row.createdAtMs,
				expiresAtMs: row.expiresAtMs - DEVICE_CODE_KEPT_SECONDS * SECOND_MS,
			};
		},
		async approveDevice(userCode, { session, client, record }) {
			const { payload, row } = found(await findUserCode(userCode), deviceNotFound);
			const grantId = randomToken();
			const { scopes, resources } = askedIn(payload.params as Payload);
			const scope = scopes.length === 0 ? undefined : scopes.join(" ");
			const resource = resources.length > 1 ? resources : resources[0];
			const grant = {
				id: grantId,
				session,
				client,
				granted: scope === undefined ? {} : { openid: { scope } },
				nowMs: clock(),
				seconds: REFRESH_ABSOLUTE_SECONDS,
			};
			const approved = { ...payload, ...personOf(session), grantId, scope, resource };
			await db.transaction(async (stores) => {
				// First, as where a session ends.
				const isLive = await stores.sessions.hold(session.tenantId, session.userId, session.id);
				if (!isLive) throw new AppError("token.invalid", "access token is invalid or expired");
				await record(stores, async () => {
					const refusal = await insertGrant(stores, grant);
					if (refusal !== undefined) throw new Error(`an approved device got no grant: ${refusal}`);
					const isFirst = await records.answer(stores, row, approved, DEVICE_CODE_KEPT_SECONDS);
					if (!isFirst) throw deviceNotFound();
				});
			});
		},
		async denyDevice(userCode) {
			const { payload, row } = found(await findUserCode(userCode), deviceNotFound);
			const denied = { ...payload, error: "access_denied", errorDescription: "the person refused" };
			if (!(await records.answer(db.stores, row, denied, DEVICE_CODE_KEPT_SECONDS))) throw deviceNotFound();
		},
	};
}

/** As the library writes it when a person has answered at its own page. */
function personOf(session: Session): Payload {
	const { accountId, loginTs, acr, amr } = sessionPayload(session);
	return { accountId, authTime: loginTs, acr, amr, sid: session.id, sessionUid: session.id };
}
