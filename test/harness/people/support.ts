// Supporters, who read what people see.

import assert from "node:assert/strict";
import type { TestService } from "../service/service.ts";
import {
	addPersonWithTotp,
	MFA,
	nextCode,
	type PersonWithTotp,
	passwordStep,
	signInWithTotp,
} from "./second-factors.ts";

export const SUPPORT = "/api/v1/support-sessions";
export const REASON = "The invoice of November is missing.";

export interface Supporter extends PersonWithTotp {
	/** Of a sign-in with a second factor. */
	readonly session: string;
	readonly refreshToken: string;
}

export async function addSupporter(
	service: TestService,
	name: string,
	roles: readonly string[] = ["supporter"],
): Promise<Supporter> {
	const person = await addPersonWithTotp(service, name, { roles });
	const { access_token: session, refresh_token: refreshToken } = await signInWithTotp(service, person);
	return { ...person, session, refreshToken };
}

interface Asked {
	readonly minutes?: number;
	readonly app_id?: string;
	readonly ticket?: string;
}

export async function createSupport(
	service: TestService,
	{ session }: Pick<Supporter, "session">,
	personId: string,
	asked: Asked = {},
) {
	const response = await service.call("POST", `/api/v1/users/${personId}/support-sessions`, {
		token: session,
		body: { reason: REASON, minutes: 30, ...asked },
	});
	assert.equal(response.status, 201, JSON.stringify(response.body));
	const { id, url, expires_at } = response.body.data;
	return { id, url, expiresAt: expires_at, token: String(new URL(url).hash.slice(1)) };
}

export function openSupport(service: TestService, session: string, token: string) {
	return service.call("POST", `${SUPPORT}/open`, { token: session, body: { token } });
}

/** @returns what the supporter reads with. */
export async function supportFor(
	service: TestService,
	supporter: Pick<Supporter, "session">,
	personId: string,
	asked: Asked = {},
) {
	const { token } = await createSupport(service, supporter, personId, asked);
	const opened = await openSupport(service, supporter.session, token);
	assert.equal(opened.status, 200, JSON.stringify(opened.body));
	return opened.body.data;
}

/** Signs in a browser. @param origin of the service. @returns the cookie, and an access token of the same session. */
export async function signInInBrowser(service: TestService, person: PersonWithTotp, origin: string) {
	const mfa_token = await passwordStep(service, person);
	const body = { mfa_token, method: "totp", code: nextCode(service, person.secret) };
	const headers = { origin, "x-session": "cookie" };
	const response = await service.call("POST", MFA, { https: true, body, headers });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	const cookie = String(response.headers["set-cookie"]?.[0]).split(";", 1)[0] as string;
	return { cookie, session: response.body.data.access_token };
}
