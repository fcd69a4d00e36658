// Sign-in with a real OpenID provider: kind `oidc`, and the kinds that follow the standard.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ProviderConnection } from "../../src/domain/provider-gateway.ts";
import {
	type OidcProvider,
	signInAtProvider,
	startOidcProvider,
} from "../harness/providers/oidc-provider.ts";
import { CALLBACK, fails, loopbackGateway, newAttempt, signIn } from "./attempt.ts";

const CLIENT = {
	client_id: "latchkey",
	client_secret: "a secret of + % the client",
	redirect_uris: [CALLBACK],
};
const ANN = {
	sub: "248289761001",
	email: "Ann@Example.com",
	email_verified: true,
	name: "Ann Example",
	preferred_username: "ann",
	picture: "https://pictures.example.com/ann.png",
};

describe("sign-in with a real OpenID provider", () => {
	let provider: OidcProvider;
	let connection: ProviderConnection;
	const gateway = loopbackGateway();
	before(async () => {
		provider = await startOidcProvider({
			clients: [CLIENT],
			users: [ANN, { sub: "bob", email: "bob@example.com" }],
		});
		connection = {
			kind: "oidc",
			clientId: CLIENT.client_id,
			clientSecretPlain: CLIENT.client_secret,
			issuer: provider.issuer,
		};
	});
	after(() => provider.close());

	it("returns its identity, by userinfo and the signed token", async () => {
		const profile = await signIn(gateway, connection, (url) => signInAtProvider(url, ANN.sub));
		assert.deepEqual(profile, {
			subject: ANN.sub,
			otherSubjects: [],
			email: "Ann@Example.com",
			isEmailVerified: true,
			isEmailUnstated: false,
			username: "ann",
			displayName: "Ann Example",
			avatarUrl: ANN.picture,
		});
	});

	it("treats an address as verified only if the provider says so explicitly", async () => {
		const profile = await signIn(gateway, connection, (url) => signInAtProvider(url, "bob"));
		assert.deepEqual([profile.email, profile.isEmailVerified], ["bob@example.com", false]);
		assert.deepEqual([profile.username, profile.displayName, profile.avatarUrl], [null, null, null]);
	});

	it("sends state, nonce and PKCE", async () => {
		const attempt = newAttempt();
		const url = new URL(await gateway.authorizationUrl(connection, attempt));
		assert.equal(url.origin + url.pathname, `${provider.issuer}/auth`);
		const parameters = Object.fromEntries(url.searchParams);
		assert.match(parameters.code_challenge ?? "", /^[\w-]{43}$/);
		assert.notEqual(parameters.code_challenge, attempt.codeVerifierPlain);
		delete parameters.code_challenge;
		assert.deepEqual(parameters, {
			client_id: CLIENT.client_id,
			response_type: "code",
			redirect_uri: CALLBACK,
			scope: "openid email profile",
			state: attempt.state,
			nonce: attempt.nonce,
			code_challenge_method: "S256",
		});
	});

	it("reports that the user declined", () =>
		fails(
			signIn(gateway, connection, (url) => signInAtProvider(url, null)),
			"denied",
			/access_denied/,
		));

	it("accepts a code once, and only with the verifier of its attempt", async () => {
		const attempt = newAttempt();
		const back = await signInAtProvider(await gateway.authorizationUrl(connection, attempt), ANN.sub);
		const response = back.searchParams;
		for (const [change, message] of [
			[{ state: newAttempt().state }, /state/],
			[{ codeVerifierPlain: newAttempt().codeVerifierPlain }, /invalid_grant/],
		] as const)
			await fails(
				gateway.fetchProfile(connection, { ...attempt, ...change }, response),
				"invalid_answer",
				message,
			);
		await gateway.fetchProfile(connection, attempt, response);
		await fails(gateway.fetchProfile(connection, attempt, response), "invalid_answer", /invalid_grant/);
	});

	it("refuses a token issued for another attempt", async () => {
		const attempt = newAttempt();
		const back = await signInAtProvider(await gateway.authorizationUrl(connection, attempt), ANN.sub);
		const other = { ...attempt, nonce: newAttempt().nonce };
		await fails(gateway.fetchProfile(connection, other, back.searchParams), "invalid_answer", /nonce/);
	});

	it("refuses a response that names another issuer, or none (RFC 9207)", async () => {
		for (const iss of ["https://evil.example", null]) {
			const attempt = newAttempt();
			const back = await signInAtProvider(await gateway.authorizationUrl(connection, attempt), ANN.sub);
			if (iss === null) back.searchParams.delete("iss");
			else back.searchParams.set("iss", iss);
			await fails(gateway.fetchProfile(connection, attempt, back.searchParams), "invalid_answer", /iss/);
		}
	});

	it("reports that an admin has to act when the client's secret is wrong", () =>
		fails(
			signIn(gateway, { ...connection, clientSecretPlain: "wrong" }, (url) => signInAtProvider(url, ANN.sub)),
			"misconfigured",
			/id and secret|invalid_client/,
		));

	it("reports the same for an absent issuer, or one with another name", async () => {
		const begin = (issuer: string | null) =>
			gateway.authorizationUrl({ ...connection, issuer }, newAttempt());
		await fails(begin(null), "misconfigured", /no https issuer/);
		await fails(begin("http://127.0.0.1"), "misconfigured", /no https issuer/);
		await fails(begin(`${provider.issuer}/nowhere`), "misconfigured", /no discovery document/);
		await fails(
			begin(provider.issuer.replace("127.0.0.1", "localhost")),
			"misconfigured",
			/not on the public/,
		);
	});
});
