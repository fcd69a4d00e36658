// Asserts what the guard of every open API refuses before the endpoint runs.

import assert from "node:assert/strict";
import { SCOPES } from "../../../src/domain/api-client.ts";
import type { CallResponse, Credentials, TestService } from "../service/service.ts";
import { APPLICATIONS, addApiClient } from "./applications.ts";

export type Client = Credentials & { readonly id: string; readonly name: string };

export interface SignedCall {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body?: object;
}

/** The status and code of a signed call's problem details, such as `401 nonce.reused`. */
export async function problem(
	service: TestService,
	client: Credentials,
	{ method, path, body }: SignedCall & { readonly body?: unknown },
	headers: Readonly<Record<string, string>> = {},
): Promise<string> {
	const response = await service.signed(client, method, path, {
		body,
		headers: { accept: "application/problem+json", ...headers },
	});
	return `${response.status} ${response.body.code}`;
}

/**
 * Unsigned, signed with another Secret, by a client of a disabled application, or replayed: 401, without a Bearer
 * challenge where no token would help.
 */
export async function assertUnsigned(
	service: TestService,
	client: Client,
	call: SignedCall,
	admitsTokens = false,
): Promise<void> {
	const { method, path, body } = call;
	const bearer = await service.adminToken();
	for (const options of [{}, { token: bearer }]) {
		const response = await service.call(method, path, { ...options, body, https: true });
		assert.equal(response.status, 401);
		assert.equal(response.headers["www-authenticate"] !== undefined, admitsTokens, path);
		assert.deepEqual(Object.keys(response.body), ["error"]);
	}
	assert.equal(await problem(service, { ...client, secret: "sk_other" }, call), "401 signature.invalid");
	const orphan = await addApiClient(service);
	await service.call("PATCH", `${APPLICATIONS}/${orphan.app_id}`, {
		token: bearer,
		body: { status: "disabled" },
	});
	assert.equal(await problem(service, orphan, call), "401 signature.invalid");
	const nonce = crypto.randomUUID();
	await service.signed(client, method, path, { body, nonce });
	const replay = await service.signed(client, method, path, { body, nonce });
	assert.equal(replay.status, 401);
	assert.match(replay.body.error, /X-Nonce was used before/);
}

/** 403 with every scope except `scope`; accepted with that scope alone. */
export async function assertScoped(service: TestService, scope: string, call: SignedCall): Promise<void> {
	const without = await addApiClient(service, { scopes: SCOPES.filter((other) => other !== scope) });
	assert.equal(await problem(service, without, call), "403 scope.missing");
	// The question may be about another application.
	const own = scope === "access:check" ? [scope, "access:check:tenant"] : [scope];
	const alone = await addApiClient(service, { scopes: own });
	assert.notEqual((await service.signed(alone, call.method, call.path, { body: call.body })).status, 403);
}

/** 426 over plain HTTP, signed or unsigned. */
export async function assertHttpsOnly(
	service: TestService,
	{ method, path, body }: SignedCall,
): Promise<void> {
	const response: CallResponse = await service.call(method, path, { body });
	assert.equal(response.status, 426);
	assert.deepEqual(response.body, { error: "open APIs require HTTPS" });
	assert.equal(response.headers.upgrade, "TLS/1.2, HTTP/1.1");
}

/** 400 for a GET with a body or with a target in absolute form. */
export async function assertPlainGet(service: TestService, client: Client, path: string): Promise<void> {
	const call = { method: "GET", path } as const;
	assert.equal(await problem(service, client, { ...call, body: {} }), "400 request.body_not_allowed");
	const absolute = { ...call, path: `https://localhost${path}` };
	assert.equal(await problem(service, client, absolute), "400 request.target_form");
}
