// Resets passwords and changes email addresses as users do.

import { mailedToken } from "../access/access-requests.ts";
import type { CallResponse, TestService } from "../service/service.ts";
import type { BodyOfRow } from "../service/wire-body.ts";
import type { Person } from "./people.ts";
import { mailedCode } from "./registration.ts";

type Headers = Readonly<Record<string, string>>;

export function forgot(service: TestService, email: unknown, headers: Headers = {}): Promise<CallResponse> {
	return service.call("POST", "/api/v1/auth/password/forgot", { body: { email }, headers });
}

export function reset(
	service: TestService,
	token: unknown,
	newPassword: unknown,
	headers: Headers = {},
): Promise<CallResponse> {
	const body = { token, new_password: newPassword };
	return service.call("POST", "/api/v1/auth/password/reset", { body, headers });
}

/** Requests a reset link and reads its token; `count` includes links mailed to the address before. */
export async function resetTokenFor(service: TestService, email: string, count = 1): Promise<string> {
	const response = await forgot(service, email);
	if (response.status !== 202) throw new Error(`forgot returned ${response.status}`);
	return mailedToken(service, email, "reset", count);
}

export function requestEmailChange(
	service: TestService,
	person: Person,
	email: unknown,
	password: unknown = person.password,
): Promise<CallResponse> {
	const body = { email, current_password: password };
	const headers = { accept: "application/problem+json" };
	return service.call("POST", "/api/v1/users/me/email", { token: person.token, body, headers });
}

export function confirmEmailChange(
	service: TestService,
	person: Person,
	email: unknown,
	code: unknown,
): Promise<CallResponse<BodyOfRow<"POST /api/v1/users/me/email/confirm">>> {
	const headers = { accept: "application/problem+json" };
	const body = { email, code };
	return service.call("POST", "/api/v1/users/me/email/confirm", { token: person.token, body, headers });
}

/** Changes the email address as the user; `count` includes codes mailed there before. */
export async function moveTo(service: TestService, person: Person, email: string, count = 1): Promise<void> {
	const asked = await requestEmailChange(service, person, email);
	if (asked.status !== 200)
		throw new Error(`requesting returned ${asked.status}: ${JSON.stringify(asked.body)}`);
	const moved = await confirmEmailChange(service, person, email, await mailedCode(service, email, count));
	if (moved.status !== 200) throw new Error(`confirming returned ${moved.status}`);
}
