// Support sessions: who may create and open one, what they read at gates, what names the supporter, and what ends them.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import * as client from "openid-client";
import { SUPPORT_FACTOR_SECONDS } from "../../src/domain/support-session.ts";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import { ask, BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { connect, ISSUER, relyingParty, startOpenIdService } from "../harness/openid/openid.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { addPersonWithTotp, claimsOf, signInWithTotp } from "../harness/people/second-factors.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import {
	addSupporter,
	createSupport,
	openSupport,
	REASON,
	SUPPORT,
	type Supporter,
	signInInBrowser,
	supportFor,
} from "../harness/people/support.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const RESOURCE = "https://billing.example/api";
const ORIGIN = "https://billing.example";
const RULES = [{ path: "/invoices/*", needs: "invoices:read" }];
const service = fixture(() => startOpenIdService({ env: BEHIND_PROXY }));
after(() => service.stop());

async function addBilling() {
	const { id, secret } = await connect(service, { resource: RESOURCE }, { name: "Billing" });
	await addRole(service, id, "reader", ["invoices:read"]);
	await addRole(service, id, "writer", ["invoices:write"]);
	await service.asAdmin("PATCH", `${APPLICATIONS}/${id}`, { support_sessions: true });
	const fields = { rules: RULES, statement: true, browser_origin: ORIGIN };
	const gate = (await addGate(service, fields, id)) as KeyedGate;
	return { id, secret, gate };
}

let count = 0;
const cast = fixture(async () => ({ billing: await addBilling(), sam: await addSupporter(service, "sam") }));

async function addReader(): Promise<Person> {
	const person = await addPerson(service, `read-${++count}`);
	await putGrant(service, cast.billing.id, person.id, ["reader"]);
	return person;
}

async function openAt(supporter: Pick<Supporter, "session"> = cast.sam) {
	const ada = await addReader();
	const opened = await supportFor(service, supporter, ada.id, { app_id: cast.billing.id });
	const end = () => service.call("DELETE", `${SUPPORT}/${opened.id}`, { token: ada.token });
	return { ada, opened, apiToken: String(opened.application?.access_token), end };
}

const ofToken = (token: string) => ({ authorization: `Bearer ${token}` });
const askWith = (token: string, more: Parameters<typeof ask>[3] = {}) =>
	ask(service, cast.billing.gate, "/invoices/1", {
		...more,
		headers: { ...ofToken(token), ...more.headers },
	});
/** A list as the first admin sees it. */
async function rowsOf<Row>(path: string): Promise<readonly Row[]> {
	return (await service.callAsAdmin<{ data: Row[] }>("GET", path)).body.data;
}

const me = async (token: string): Promise<number> =>
	(await service.call("GET", "/api/v1/users/me", { token })).status;

describe("a support session", () => {
	describe("at a gate", () => {
		it("only reads, with the permissions of the person, and names both", async () => {
			const { ada, opened, apiToken, end } = await openAt();
			assert.equal(opened.application?.resource, RESOURCE);
			const claims = claimsOf(apiToken);
			assert.deepEqual([claims.sub, claims.act], [ada.id, { sub: `user:${cast.sam.id}` }]);
			assert.deepEqual([claims.aud, claims.scope], [RESOURCE, "invoices:read"]);
			for (const method of ["GET", "HEAD", "OPTIONS"]) {
				const passed = await askWith(apiToken, { method });
				assert.equal(passed.outcome, `200 person:${ada.id}`, method);
				const statement = claimsOf(String(passed.headers["latchkey-statement"]));
				assert.deepEqual(statement.act, { sub: `user:${cast.sam.id}` });
			}
			for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])
				assert.equal((await askWith(apiToken, { method })).outcome, "403 support.read_only", method);
			const upgrade = await askWith(apiToken, { headers: { upgrade: "websocket" } });
			assert.equal(upgrade.outcome, "403 support.read_only");
			const path = "/api/v1/refusals?code=support.read_only";
			const [refusal] = await eventually(
				() => rowsOf<{ caller: string; reason: string }>(path),
				(refusals) => refusals.length > 0,
			);
			assert.equal(refusal?.caller, `person:${ada.id}`);
			assert.equal(refusal?.reason, `user:${cast.sam.id} supports the person`);
			await end();
			assert.equal((await askWith(apiToken)).outcome, "401 token.invalid");
		});

		it("tells a middleware who acts", async () => {
			const { apiToken, end } = await openAt();
			const { application_id, gate_key } = cast.billing.gate;
			const response = await service.call<{ data: { caller: { act: unknown } } }>(
				"POST",
				`/gate/${application_id}/verify`,
				{
					headers: { "x-gate-key": gate_key },
					body: {
						method: "GET",
						target: "/invoices/1",
						scheme: "https",
						ip: "203.0.113.7",
						headers: ofToken(apiToken),
					},
				},
			);
			assert.deepEqual(response.body.data.caller.act, { sub: `user:${cast.sam.id}` });
			await end();
		});

		it("has no more than the person has now", async () => {
			const { ada, apiToken, end } = await openAt();
			await putGrant(service, cast.billing.id, ada.id, ["writer"]);
			assert.equal((await askWith(apiToken)).outcome, "403 application.access_denied");
			await end();
		});

		it("ends at once when the application no longer allows it", async () => {
			const { apiToken, end } = await openAt();
			const path = `${APPLICATIONS}/${cast.billing.id}`;
			await service.asAdmin("PATCH", path, { support_sessions: false });
			assert.equal((await askWith(apiToken)).outcome, "401 token.invalid");
			await service.asAdmin("PATCH", path, { support_sessions: true });
			assert.equal((await askWith(apiToken)).status, 200);
			await end();
		});

		it("passes no other gate, no API, and no endpoint of OAuth", async () => {
			const { opened, apiToken, end } = await openAt();
			const other = (await addGate(service, { rules: RULES })) as KeyedGate;
			for (const token of [apiToken, opened.access_token]) {
				const asked = await ask(service, other, "/invoices/1", { headers: ofToken(token) });
				assert.equal(asked.outcome, "401 token.invalid");
				assert.equal((await service.call<unknown>("GET", "/oauth/userinfo", { token })).status, 401);
			}
			assert.equal(await me(apiToken), 401);
			assert.equal((await askWith(opened.access_token)).outcome, "401 token.invalid");
			const evaluation = await service.call<unknown>("POST", "/access/v1/evaluation", {
				token: apiToken,
				https: true,
				body: {},
			});
			assert.equal(evaluation.status, 401);
			await end();
		});
	});

	describe("in introspection", () => {
		it("is active for the API alone, and names both", async () => {
			const { ada, apiToken, end } = await openAt();
			const asApi = await relyingParty(service, cast.billing);
			const said = await client.tokenIntrospection(asApi, apiToken);
			assert.deepEqual(
				[said.active, said.sub, said.act, said.scope],
				[true, ada.id, { sub: `user:${cast.sam.id}` }, "invoices:read"],
			);
			const other = await relyingParty(service, await connect(service));
			assert.deepEqual(await client.tokenIntrospection(other, apiToken), { active: false });
			await end();
			assert.deepEqual(await client.tokenIntrospection(asApi, apiToken), { active: false });
		});

		it("is the subject of no token exchange", async () => {
			const { apiToken, end } = await openAt();
			const asApi = await relyingParty(service, cast.billing);
			const exchanged = client.genericGrantRequest(asApi, "urn:ietf:params:oauth:grant-type:token-exchange", {
				subject_token: apiToken,
				subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
				resource: RESOURCE,
				scope: "invoices:read",
			});
			await assert.rejects(exchanged, { error: /^invalid_/ });
			await end();
		});
	});

	describe("ends at the next request", () => {
		const outcomes = async (opened: { access_token: string }, apiToken: string) => [
			await me(opened.access_token),
			(await askWith(apiToken)).outcome,
		];
		const OVER = [401, "401 token.invalid"];
		const supporters = { role: { roles: [] }, account: { status: "disabled" } };

		for (const [what, body] of Object.entries(supporters))
			it(`with the ${what} of the supporter`, async () => {
				const sam = await addSupporter(service, `sam-${what}`);
				const { opened, apiToken } = await openAt(sam);
				assert.equal(await me(opened.access_token), 200);
				await service.asAdmin("PATCH", `/api/v1/users/${sam.id}`, body);
				assert.deepEqual(await outcomes(opened, apiToken), OVER);
			});

		it("with the session in which it was created, and with no other of the supporter", async () => {
			const sam = await addSupporter(service, "sam-out");
			const second = (await signInWithTotp(service, sam)).access_token;
			const { opened, apiToken } = await openAt(sam);
			await service.call("POST", "/api/v1/auth/logout", { token: second });
			assert.equal(await me(opened.access_token), 200);
			await service.call("POST", "/api/v1/auth/logout", { token: sam.session });
			assert.deepEqual(await outcomes(opened, apiToken), OVER);
		});

		it("when the person gets a system role, changes the password, or is disabled", async () => {
			for (const body of [
				{ roles: ["auditor"] },
				{ password: "another long password" },
				{ status: "disabled" },
			]) {
				const { ada, opened, apiToken } = await openAt();
				await service.asAdmin("PATCH", `/api/v1/users/${ada.id}`, body);
				assert.deepEqual(await outcomes(opened, apiToken), OVER, JSON.stringify(body));
				await service.call("DELETE", `${SUPPORT}/${opened.id}`, { token: cast.sam.session });
			}
		});
	});

	describe("is refused", () => {
		const create = async (token: string, personId: string, body: object = {}) => {
			const response = await service.call<{ code: string }>(
				"POST",
				`/api/v1/users/${personId}/support-sessions`,
				{
					token,
					body: { reason: REASON, minutes: 5, ...body },
					headers: { accept: "application/problem+json" },
				},
			);
			return `${response.status} ${response.body.code}`;
		};

		it("for administrators, platform administrators, reviewers, auditors, supporters, and disabled users", async () => {
			for (const role of ["admin", "platform_admin", "reviewer", "auditor", "supporter"]) {
				const { id } = await addPerson(service, `subject-${role}`, { roles: [role] });
				assert.equal(await create(cast.sam.session, id), "403 support.subject", role);
			}
			assert.equal(await create(cast.sam.session, cast.sam.id), "403 support.subject");
			const { id } = await addPerson(service, "subject-disabled");
			await service.asAdmin("PATCH", `/api/v1/users/${id}`, { status: "disabled" });
			assert.equal(await create(cast.sam.session, id), "403 support.subject");
		});

		it("to other roles, to keys, without a second factor, and with an old one", async () => {
			const ada = await addPerson(service, "refused-for");
			for (const roles of [["admin"], ["platform_admin"], ["reviewer"], ["auditor"], []]) {
				const person = await addPersonWithTotp(service, `asks-${roles[0] ?? "none"}`, { roles });
				const { access_token: token } = await signInWithTotp(service, person);
				assert.equal(await create(token, ada.id), "403 role.required", String(roles));
			}
			const { key } = await addAdminKey(service, { roles: ["admin"] });
			assert.equal(await create(key, ada.id), "403 admin_key.not_allowed");
			const plain = await addPerson(service, "sam-plain", { roles: ["supporter"] });
			assert.equal(await create(plain.token, ada.id), "403 mfa.required");
			const late = await addSupporter(service, "sam-late");
			const { body } = await service.call("POST", "/api/v1/auth/refresh", {
				body: { refresh_token: late.refreshToken },
			});
			service.clock.advance(10 * 60_000);
			const renewed = await service.call("POST", "/api/v1/auth/refresh", {
				body: { refresh_token: body.data.refresh_token },
			});
			service.clock.advance(SUPPORT_FACTOR_SECONDS * 1_000 - 10 * 60_000);
			assert.equal(await create(renewed.body.data.access_token, ada.id), "401 session.too_old");
		});

		it("for people of another tenant, and for applications without support sessions", async () => {
			const sam = await addSupporter(service, "sam-walls");
			const other = await addSecondTenant(service);
			const { body } = await service.call("GET", "/api/v1/users/me", { token: other.adminToken });
			assert.equal(await create(sam.session, body.data.id), "404 user.not_found");
			const ada = await addPerson(service, "walled");
			const { id: app_id } = await addApplication(service);
			assert.equal(await create(sam.session, ada.id, { app_id }), "403 application.access_denied");
			assert.equal(await create(sam.session, ada.id, { app_id: ABSENT_ID }), "404 application.not_found");
			const { key } = await addAdminKey(service, { roles: ["reviewer"] });
			assert.equal((await service.call("GET", SUPPORT, { token: key })).status, 403);
			const { id } = await createSupport(service, sam, ada.id);
			const path = `${SUPPORT}/${id}`;
			assert.equal((await service.call("DELETE", path, { token: other.adminToken })).status, 404);
			const listed = await service.call("GET", SUPPORT, { token: other.adminToken });
			assert.deepEqual(listed.body.data, []);
		});

		it("to anyone but the session that created it", async () => {
			const ada = await addPerson(service, "opened-for");
			const [sam, eve] = [await addSupporter(service, "sam-own"), await addSupporter(service, "eve")];
			const elsewhere = (await signInWithTotp(service, sam)).access_token;
			const { id, token } = await createSupport(service, sam, ada.id, { minutes: 5 });
			for (const session of [eve.session, elsewhere])
				assert.equal((await openSupport(service, session, token)).status, 404);
			assert.equal((await openSupport(service, ada.token, token)).status, 403);
			await service.call("DELETE", `${SUPPORT}/${id}`, { token: ada.token });
			assert.equal((await openSupport(service, sam.session, token)).status, 404);
			const late = await createSupport(service, sam, ada.id, { minutes: 5 });
			service.clock.advance(5 * 60_000);
			assert.equal((await openSupport(service, sam.session, late.token)).status, 404);
		});

		it("to a person who became privileged before it was opened", async () => {
			const ada = await addPerson(service, "promoted");
			const sam = await addSupporter(service, "sam-promoted");
			const { token } = await createSupport(service, sam, ada.id);
			await service.asAdmin("PATCH", `/api/v1/users/${ada.id}`, { roles: ["reviewer"] });
			assert.equal((await openSupport(service, sam.session, token)).status, 403);
		});

		it("to an admin key that allows support sessions of an application", async () => {
			const { key } = await addAdminKey(service, { roles: ["admin"] });
			const { id } = await addApplication(service);
			const path = `${APPLICATIONS}/${id}`;
			const changed = await service.call("PATCH", path, { token: key, body: { support_sessions: true } });
			assert.equal(changed.status, 403);
		});
	});

	it("reads at the host of the application, in a session that ends with it", async () => {
		const person = await addReader();
		const sam = await addSupporter(service, "sam-browses");
		const browser = await signInInBrowser(service, sam, ISSUER);
		const { token, id } = await createSupport(service, browser, person.id, {
			app_id: cast.billing.id,
			minutes: 20,
		});
		const opened = await openSupport(service, browser.session, token);
		const url = new URL(String(opened.body.data.application?.url));
		assert.equal(url.href, `${ORIGIN}/.latchkey/sign-in?to=%2F&support=${id}`);
		const cookie = await enterGate(url, browser.cookie);
		const asked = (method: string) =>
			ask(service, cast.billing.gate, "/invoices/1", { method, headers: { cookie, origin: ORIGIN } });
		const passed = await asked("GET");
		assert.equal(passed.outcome, `200 person:${person.id}`);
		assert.deepEqual(claimsOf(String(passed.headers["latchkey-statement"])).act, { sub: `user:${sam.id}` });
		assert.equal((await asked("POST")).outcome, "403 support.read_only");
		const events = await rowsOf<{ actor: string; details: Record<string, unknown> }>(
			`/api/v1/audit-events?target=user:${person.id}&action=user.signed_in`,
		);
		const [entered] = events;
		assert.deepEqual(
			[entered?.actor, entered?.details.on_behalf_of],
			[`user:${sam.id}`, `user:${person.id}`],
		);
		const eve = await addSupporter(service, "eve-browses");
		const foreign = await signInInBrowser(service, eve, ISSUER);
		await assert.rejects(enterGate(url, foreign.cookie), /404/);
		service.clock.advance(20 * 60_000);
		assert.equal((await asked("GET")).outcome, "401 session.ended");
	});

	/** As the proxy of Billing and the browser of the supporter do. @returns the cookie of the gate */
	async function enterGate(url: URL, own: string): Promise<string> {
		const { application_id, gate_key } = cast.billing.gate;
		const headers = {
			"x-gate-key": gate_key,
			"x-forwarded-for": "203.0.113.9",
			"x-forwarded-proto": "https",
		};
		const atGate = (path: string, cookie = "") =>
			service.call<unknown>("GET", `/gate/${application_id}/browser/${path}`, {
				headers: { ...headers, ...(cookie && { cookie }) },
			});
		const cookieIn = (lines: readonly string[] | undefined): string =>
			String(lines?.[0]).split(";", 1)[0] as string;
		const began = await atGate(`sign-in${url.search}`);
		const target = new URL(String(began.headers.location));
		const entered = await service.call<unknown>("GET", `${target.pathname}${target.search}`, {
			https: true,
			headers: { cookie: own },
		});
		if (entered.status !== 303) throw new Error(String(entered.status));
		const back = new URL(String(entered.headers.location));
		const path = `${back.pathname.split("/").at(-1)}${back.search}`;
		const finished = await atGate(path, cookieIn(began.headers["set-cookie"]));
		return cookieIn(finished.headers["set-cookie"]);
	}
});
