// Tickets: how a signed-in user enters an application.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeJwt } from "jose";
import { sha256Base64url } from "../../../src/crypto/digest.ts";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { ABSENT_ID, addApplication, putGrant } from "../../harness/applications.ts";
import { fixture, testService } from "../../harness/fixture.ts";
import { putOAuthClient } from "../../harness/oauth-clients.ts";
import { addPerson, auditOf, isAlive, signInAgain, signInToApplication } from "../../harness/people.ts";
import { enrollTotp, signInWithTotp } from "../../harness/second-factors.ts";

const TICKETS = "/api/v1/auth/tickets";
const REDEEM = "/api/v1/auth/third-party/token";
const REDIRECT_URI = "https://app.example.com/back?from=login";
const PROBLEM = { accept: "application/problem+json" };

// With a stopped clock, no code expires between two calls.
const service = testService(() => ({ atMs: Date.now() }));
const app = fixture(() => addApplication(service, { redirect_uris: [REDIRECT_URI], access_policy: "open" }));
const ada = fixture(() => addPerson(service, "ada"));

describe("POST /api/v1/auth/tickets", () => {
	const ask = (token: string, fields: object = {}, headers = {}) =>
		service.call("POST", TICKETS, {
			token,
			body: { app_id: app.id, redirect_uri: REDIRECT_URI, ...fields },
			headers: { ...PROBLEM, ...headers },
		});
	const returned = async (token: string, fields: object = {}, headers = {}): Promise<URLSearchParams> => {
		const response = await ask(token, fields, headers);
		assert.equal(response.status, 200, JSON.stringify(response.body));
		assert.ok(response.body.data.redirect_to.startsWith(`${REDIRECT_URI}&ticket=`));
		return new URL(response.body.data.redirect_to).searchParams;
	};
	const redeem = (ticket: string | null, fields: object = {}) =>
		service.call("POST", REDEEM, { body: { ticket, ...fields } });
	const refused = async (token: string, fields: object, code: string): Promise<void> => {
		const response = await ask(token, fields);
		assert.equal(response.body.code, code, JSON.stringify(fields));
		assert.equal(JSON.stringify(response.body).includes("ticket="), false);
	};

	describe("200", () => {
		it("returns an address with a ticket that the application exchanges for its own session", async () => {
			const state = "a b&c=d#é";
			const response = await ask(ada.token, { state });
			assert.deepEqual([response.status, response.headers["cache-control"]], [200, "no-store"]);
			assert.equal(response.body.data.expires_in, 60);
			const query = new URL(response.body.data.redirect_to).searchParams;
			assert.deepEqual([...query.keys()], ["from", "ticket", "state"]);
			assert.equal(query.get("state"), state);
			const { data } = (await redeem(query.get("ticket"))).body;
			const [mine, claims] = [decodeJwt(ada.token), decodeJwt(data.access_token)];
			assert.equal(claims.sub, ada.id);
			assert.ok((claims.aud as string[]).includes(app.id));
			assert.notEqual(claims.sid, mine.sid);
			assert.equal(await isAlive(service, data.access_token), true);
			assert.match(data.refresh_token, /^[A-Za-z0-9_-]{43}$/);
		});

		it("passes on factors, sign-in time and browser of the user, not of the server of the application", async () => {
			const bob = await addPerson(service, "bob");
			service.clock.advance(2 * MINUTE_MS);
			const query = await returned(bob.token, {}, { "user-agent": "Firefox of Bob" });
			const { data } = (await redeem(query.get("ticket"))).body;
			const [mine, claims] = [decodeJwt(bob.token), decodeJwt(data.access_token)];
			assert.deepEqual([claims.auth_time, claims.amr], [mine.auth_time, mine.amr]);
			const listed = await service.call("GET", "/api/v1/users/me/sessions", { token: data.access_token });
			assert.equal(listed.body.data.find(({ current }) => current)?.user_agent, "Firefox of Bob");
			const actions = (await auditOf(service, `user:${bob.id}`)).map(({ action }) => action);
			assert.equal(actions.at(-1), "user.signed_in");
		});

		it("accepts a session with the second factor that the application requires", async () => {
			const strict = await addApplication(service, {
				redirect_uris: [REDIRECT_URI],
				access_policy: "open",
				require_mfa: true,
			});
			const careful = await enrollTotp(service, await addPerson(service, "careful"));
			const { access_token } = await signInWithTotp(service, careful);
			const query = await returned(access_token, { app_id: strict.id });
			const { data } = (await redeem(query.get("ticket"))).body;
			assert.deepEqual(decodeJwt(data.access_token).amr, decodeJwt(access_token).amr);
		});

		it("binds the ticket to the application by its code challenge", async () => {
			const code_verifier = "v".repeat(43);
			const code_challenge = sha256Base64url(code_verifier);
			const ticket = (await returned(ada.token, { code_challenge })).get("ticket");
			assert.equal((await redeem(ticket)).status, 401);
			assert.equal((await redeem(ticket, { code_verifier: "w".repeat(43) })).status, 401);
			assert.equal((await redeem(ticket, { code_verifier })).status, 200);
		});

		it("issues a ticket that ends with its session", async () => {
			const session = await signInAgain(service, ada);
			const ticket = (await returned(session)).get("ticket");
			await service.call("POST", "/api/v1/auth/logout", { token: session });
			assert.equal((await redeem(ticket)).status, 401);
		});

		it("issues a ticket that checks access again", async () => {
			const closed = await addApplication(service, { redirect_uris: [REDIRECT_URI] });
			const guest = await addPerson(service, "guest");
			await putGrant(service, closed.id, guest.id);
			const ticket = (await returned(guest.token, { app_id: closed.id })).get("ticket");
			const path = `/api/v1/applications/${closed.id}/grants/users/${guest.id}`;
			await service.asAdmin("DELETE", path);
			assert.equal((await redeem(ticket)).status, 403);
			assert.equal((await redeem(ticket)).status, 401);
		});
	});

	describe("400", () => {
		it("returns the same response for unregistered addresses and for absent and disabled applications", async () => {
			const disabled = await addApplication(service, { redirect_uris: [REDIRECT_URI], status: "disabled" });
			for (const fields of [
				{ redirect_uri: "https://evil.example" },
				{ redirect_uri: `${REDIRECT_URI}&more` },
				{ redirect_uri: REDIRECT_URI.toUpperCase() },
				{ redirect_uri: REDIRECT_URI.replace("app.example.com", "app.example.com.evil.example") },
				{ redirect_uri: REDIRECT_URI.replace("https:", "javascript:") },
				{ redirect_uri: `${service.httpsUrl}/sign-in` },
				{ app_id: ABSENT_ID },
				{ app_id: disabled.id },
			])
				await refused(ada.token, fields, "redirect_uri.not_registered");
		});

		it("names the field that is missing or malformed", async () => {
			for (const [fields, field] of [
				[{ app_id: "mine" }, "app_id"],
				[{ redirect_uri: undefined }, "redirect_uri"],
				[{ state: "x".repeat(1_025) }, "state"],
				[{ code_challenge: "short" }, "code_challenge"],
			] as const) {
				const response = await ask(ada.token, fields);
				assert.deepEqual([response.status, response.body.errors[0]?.field], [400, field]);
			}
		});
	});

	describe("403", () => {
		it("refuses a user without access, and audits it", async () => {
			const closed = await addApplication(service, { redirect_uris: [REDIRECT_URI] });
			await refused(ada.token, { app_id: closed.id }, "application.access_denied");
			const [last] = (await auditOf(service, `user:${ada.id}`)).slice(-1);
			assert.deepEqual(
				[last?.action, last?.details],
				["user.sign_in_failed", { reason: "application.access_denied", app_id: closed.id }],
			);
		});

		it("refuses a session without a second factor that the application requires or that was enrolled since", async () => {
			const strict = await addApplication(service, {
				redirect_uris: [REDIRECT_URI],
				access_policy: "open",
				require_mfa: true,
			});
			await refused(ada.token, { app_id: strict.id }, "mfa.required");
			const late = await addPerson(service, "late");
			await returned(late.token);
			await enrollTotp(service, late);
			await refused(late.token, {}, "mfa.required");
		});

		it("refuses a token of another application", async () => {
			await refused(await signInToApplication(service, ada), {}, "application.token");
		});
	});

	describe("409", () => {
		const addOpen = () => addApplication(service, { redirect_uris: [REDIRECT_URI], access_policy: "open" });

		it("refuses an application with an OAuth client that signs users in, until it is deleted", async () => {
			for (const type of ["web", "spa", "native"]) {
				const { id: app_id } = await addOpen();
				await putOAuthClient(service, { type }, app_id);
				await refused(ada.token, { app_id }, "oauth_client.exists");
				await refused(
					ada.token,
					{ app_id, redirect_uri: "https://evil.example" },
					"redirect_uri.not_registered",
				);
				await service.asAdmin("DELETE", `/api/v1/applications/${app_id}/oauth-client`);
				await returned(ada.token, { app_id });
			}
		});

		it("accepts an application whose OAuth client acts only for itself", async () => {
			const { id: app_id } = await addOpen();
			await putOAuthClient(service, { type: "service" }, app_id);
			await returned(ada.token, { app_id });
		});

		it("invalidates open tickets when the OAuth client is created", async () => {
			const { id: app_id } = await addOpen();
			const tickets = [await returned(ada.token, { app_id }), await returned(ada.token)];
			await putOAuthClient(service, { type: "web" }, app_id);
			const statuses = await Promise.all(
				tickets.map(async (query) => (await redeem(query.get("ticket"))).status),
			);
			assert.deepEqual(statuses, [401, 200]);
		});
	});
});
