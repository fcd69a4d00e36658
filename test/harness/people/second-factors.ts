// Users with second factors, and sign-ins that wait for one.

import assert from "node:assert/strict";
import { totpCode } from "../../../src/crypto/totp.ts";
import type { TestService } from "../service/service.ts";
import { Authenticator } from "./authenticator.ts";
import { addPerson, type Person } from "./people.ts";

export const MFA = "/api/v1/auth/mfa";
export const MY_TOTP = "/api/v1/users/me/mfa/totp";

export interface PersonWithTotp extends Person {
	readonly secret: string;
	readonly recoveryCodes: readonly string[];
}

/** Adds the user `name` with an authenticator app. The current code is already used: see `nextCode`. */
export async function addPersonWithTotp(
	service: TestService,
	name: string,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<PersonWithTotp> {
	return await enrollTotp(service, await addPerson(service, name, fields));
}

export async function enrollTotp(service: TestService, person: Person): Promise<PersonWithTotp> {
	const { token, password } = person;
	const started = await service.call("POST", MY_TOTP, { token, body: { password } });
	assert.equal(started.status, 201, JSON.stringify(started.body));
	const { secret } = started.body.data;
	const code = totpCode(secret, service.clock.now());
	const confirmed = await service.call("POST", `${MY_TOTP}/confirm`, { token, body: { code } });
	assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
	return { ...person, secret, recoveryCodes: confirmed.body.data.recovery_codes };
}

/** An unused code; advances the clock to the next step. */
export function nextCode(service: TestService, secret: string): string {
	service.clock.advance(30_000);
	return totpCode(secret, service.clock.now());
}

/** A code that is currently wrong. */
export function wrongTotp(service: TestService, secret: string): string {
	const near = [-30_000, 0, 30_000].map((beside) => totpCode(secret, service.clock.now() + beside));
	return ["000000", "111111", "222222", "333333"].find((code) => !near.includes(code)) as string;
}

/** The first step of a sign-in, with the password. @returns the `mfa_token` */
export async function passwordStep(
	service: TestService,
	person: Pick<Person, "username" | "password">,
	body: Readonly<Record<string, unknown>> = {},
): Promise<string> {
	const { username, password } = person;
	const response = await service.call("POST", "/api/v1/auth/login", {
		body: { username, password, ...body },
	});
	assert.equal(response.status, 200, JSON.stringify(response.body));
	assert.equal(response.body.data.mfa_required, true);
	return response.body.data.mfa_token;
}

export function completeMfa(
	service: TestService,
	mfaToken: string,
	method: string,
	code: string,
	headers: Readonly<Record<string, string>> = {},
) {
	return service.call("POST", MFA, { body: { mfa_token: mfaToken, method, code }, headers });
}

/** Both steps of a sign-in, with an unused code. @returns the tokens */
export async function signInWithTotp(
	service: TestService,
	person: PersonWithTotp,
	body: Readonly<Record<string, unknown>> = {},
): Promise<{ access_token: string; refresh_token: string }> {
	const token = await passwordStep(service, person, body);
	const response = await completeMfa(service, token, "totp", nextCode(service, person.secret));
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data;
}

/** Decodes the claims of an access token without verification. */
export function claimsOf(accessToken: string): Record<string, unknown> {
	return JSON.parse(Buffer.from(accessToken.split(".")[1] as string, "base64url").toString());
}

/** Sets whether the tenant of the first admin requires a second factor, through the API as that admin. */
export async function requireMfa(service: TestService, required: boolean, token: string): Promise<void> {
	const me = await service.call("GET", "/api/v1/users/me", { token });
	const path = `/api/v1/tenants/${me.body.data.tenant_id}`;
	const response = await service.call("PATCH", path, { token, body: { require_mfa: required } });
	assert.equal(response.status, 200, JSON.stringify(response.body));
}

export const MY_PASSKEYS = "/api/v1/users/me/mfa/passkeys";
export const PASSKEY_SIGN_IN = "/api/v1/auth/passkey";

export interface PersonWithPasskey extends Person {
	readonly authenticator: Authenticator;
	readonly passkeyId: string;
	readonly recoveryCodes: readonly string[];
}

export async function addPersonWithPasskey(
	service: TestService,
	name: string,
	authenticator = new Authenticator(),
): Promise<PersonWithPasskey> {
	return await enrollPasskey(service, await addPerson(service, name), authenticator);
}

export async function enrollPasskey(
	service: TestService,
	person: Person,
	authenticator = new Authenticator(),
): Promise<PersonWithPasskey> {
	const { token, password } = person;
	const started = await service.call("POST", MY_PASSKEYS, { token, body: { password } });
	assert.equal(started.status, 201, JSON.stringify(started.body));
	const credential = authenticator.create(started.body.data.options);
	const body = { name: `Key of ${person.username}`, credential };
	const confirmed = await service.call("POST", `${MY_PASSKEYS}/confirm`, { token, body });
	assert.equal(confirmed.status, 201, JSON.stringify(confirmed.body));
	const { passkey, recovery_codes: recoveryCodes = [] } = confirmed.body.data;
	return { ...person, authenticator, passkeyId: passkey.id, recoveryCodes };
}

/** Options of a passwordless sign-in with a passkey. */
export async function passkeyOptions(
	service: TestService,
	headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
	const response = await service.call("POST", `${PASSKEY_SIGN_IN}/start`, { headers });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data.options;
}

/** Options for a passkey as the second factor of a sign-in. */
export async function passkeyMfaOptions(
	service: TestService,
	mfaToken: string,
): Promise<Record<string, unknown>> {
	const response = await service.call("POST", `${MFA}/passkey-options`, { body: { mfa_token: mfaToken } });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data.options;
}
