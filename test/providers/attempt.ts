// What the provider tests share: a gateway that can reach only loopback, and sign-in attempts.

import assert from "node:assert/strict";
import { createProviderGateway, type ProviderGatewayOptions } from "../../src/adapters/providers/gateway.ts";
import { randomToken } from "../../src/crypto/random.ts";
import {
	type ProviderAttempt,
	type ProviderConnection,
	ProviderFailure,
	type ProviderFailureReason,
	type ProviderGateway,
} from "../../src/domain/provider-gateway.ts";
import { ipInList, parseCidr } from "../../src/kernel/ip.ts";

const loopback = parseCidr("127.0.0.0/8");
assert.ok(!("problem" in loopback));

export const CALLBACK = "https://latchkey.example.com/api/v1/auth/third-party/acme/callback";

/** Loopback replaces the public Internet: no other network is allowed. */
export function loopbackGateway(options: Partial<ProviderGatewayOptions> = {}): ProviderGateway {
	return createProviderGateway({ isAllowed: (ip) => ipInList([loopback as never], ip), ...options });
}

export function newAttempt(): ProviderAttempt {
	return {
		callbackUrl: CALLBACK,
		state: randomToken(),
		nonce: randomToken(),
		codeVerifierPlain: randomToken(),
	};
}

/** A complete sign-in; `visit` acts as the browser. */
export async function signIn(
	gateway: ProviderGateway,
	connection: ProviderConnection,
	visit: (authorizationUrl: string) => Promise<URL>,
) {
	const attempt = newAttempt();
	const back = await visit(await gateway.authorizationUrl(connection, attempt));
	return gateway.fetchProfile(connection, attempt, back.searchParams);
}

/** Asserts a rejection with this reason and without a secret in its message. */
export async function fails(
	task: Promise<unknown>,
	reason: ProviderFailureReason,
	message: RegExp,
): Promise<void> {
	const error = await task.then(
		(value) => assert.fail(`taken: ${JSON.stringify(value)}`),
		(thrown: unknown) => thrown,
	);
	assert.ok(error instanceof ProviderFailure, String(error));
	assert.match(error.message, message);
	assert.equal(error.reason, reason, error.message);
	assert.equal(error.cause, undefined, "causes contain what the provider sent");
	assert.doesNotMatch(error.message, /a secret of|the access token|eyJ/);
}
