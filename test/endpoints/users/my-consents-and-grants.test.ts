import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import * as client from "openid-client";
import { rows } from "../../harness/access/access-requests.ts";
import { addApplication, addRole, putGrant } from "../../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../../harness/access/groups.ts";
import {
	allowApplication,
	completeAuthorization,
	connect,
	exchange,
	obtainTokens,
	relyingParty,
	startAuthorization,
	startOpenIdService,
} from "../../harness/openid/openid.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	type Person,
	signInToApplication,
} from "../../harness/people/people.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { fixture } from "../../harness/runs/fixture.ts";

const CONSENTS = "/api/v1/users/me/consents";
const GRANTS = "/api/v1/users/me/grants";

const service = fixture(() => startOpenIdService());
after(() => service.stop());

describe("GET /api/v1/users/me/consents", () => {
	const ada = fixture(() => addPerson(service, "ada"));

	describe("200", () => {
		it("returns the consents of the caller in pages, newest first", async () => {
			const first = await allowApplication(service, ada, {
				name: "Shop",
				homepage_url: "https://shop.example",
			});
			service.clock.advance(1_000);
			const second = await allowApplication(service, ada);
			await allowApplication(service, await addPerson(service, "eve"));
			const own = await relyingParty(service, await connect(service, { firstParty: true }));
			await obtainTokens(own, second.browser, second.token);
			const { status, body } = await service.call("GET", CONSENTS, { token: ada.token });
			assert.deepEqual([status, body.total, body.page], [200, 2, 1]);
			const [newer, older] = body.data;
			assert.ok(older);
			assert.equal(newer?.application.id, second.id);
			const { id, created_at, ...rest } = older;
			assert.match(id, /^[0-9a-f-]{36}$/);
			const application = { id: first.id, name: "Shop", homepage_url: "https://shop.example", logo_url: "" };
			const scopes = ["openid", "profile", "email", "roles"];
			assert.deepEqual(rest, { application, scopes, resources: [], api_scopes: [], updated_at: created_at });
			const paged = await service.call("GET", `${CONSENTS}?page=2&page_size=1`, { token: ada.token });
			assert.deepEqual([paged.body.total, paged.body.data[0]?.id], [2, id]);
		});

		it("returns an empty page for a user without consents", async () => {
			const bob = await addPerson(service, "bob");
			const { body } = await service.call("GET", CONSENTS, { token: bob.token });
			assert.deepEqual(body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});
});

describe("DELETE /api/v1/users/me/grants/{id}", () => {
	const giveBack = ({ token }: Person, id: string) => service.call("DELETE", `${GRANTS}/${id}`, { token });

	describe("204", () => {
		it("removes the user's own grant, once, and audits it", async () => {
			const [person, other] = [await addPerson(service, "giver"), await addPerson(service, "taker")];
			const app = await addApplication(service);
			const { id } = await putGrant(service, app.id, person.id);
			const foreign = await putGrant(service, app.id, other.id);
			assert.equal((await giveBack(person, foreign.id)).status, 404);
			const twice = await Promise.all([giveBack(person, id), giveBack(person, id)]);
			assert.deepEqual(twice.map(({ status }) => status).sort(), [204, 404]);
			assert.deepEqual((await service.call("GET", GRANTS, { token: person.token })).body.data, []);
			assert.equal((await service.call("GET", GRANTS, { token: other.token })).body.data.length, 1);
			const removed = (await auditOf(service, `user:${person.id}`)).filter(
				({ action }) => action === "grant.removed",
			);
			assert.deepEqual(
				removed.map(({ actor, details }) => [actor, details.grant_id]),
				[[`user:${person.id}`, id]],
			);
		});
	});

	describe("409", () => {
		it("keeps the grant of a group", async () => {
			const person = await addPerson(service, "grouped");
			const group = await addGroup(service, [person.id]);
			const { id } = await putGroupGrant(service, (await addApplication(service)).id, group.id);
			const headers = { accept: "application/problem+json" };
			const path = `${GRANTS}/${id}`;
			const { status, body } = await service.call<{ code: string }>("DELETE", path, {
				token: person.token,
				headers,
			});
			assert.deepEqual([status, body.code], [409, "grant.of_group"]);
		});
	});
});

describe("DELETE /api/v1/users/me/consents/{id}", () => {
	let round = 0;

	async function allowed() {
		const person = await addPerson(service, `person-${++round}`);
		const shop = await allowApplication(service, person, { name: `Shop ${round}` });
		return { person, shop, consent: await consentOf(person) };
	}
	const consentsOf = async ({ token }: Person) => (await service.call("GET", CONSENTS, { token })).body.data;
	const consentOf = async (person: Person): Promise<string> => (await consentsOf(person))[0]?.id ?? "";
	const withdraw = (token: string, id: string) => service.call("DELETE", `${CONSENTS}/${id}`, { token });
	const grantsOf = ({ id }: Person) => rows(service, "SELECT id FROM oauth_grants WHERE user_id = $1", id);
	const refused = { error: "invalid_grant" };

	describe("204", () => {
		it("revokes the tokens of the application in every session, and nothing else", async () => {
			const { person, shop, consent } = await allowed();
			const other = await allowApplication(service, person, { name: `Other ${round}` });
			const [code, asked] = await codeOf(shop);
			const later = await obtainTokens(shop.party, other.browser, other.token);
			const response = await withdraw(person.token, consent);
			assert.deepEqual([response.status, response.body], [204, undefined]);
			await assert.rejects(exchange(shop.party, code, asked), refused);
			for (const { access_token, refresh_token } of [shop.tokens, later]) {
				await assert.rejects(client.fetchUserInfo(shop.party, access_token, person.id));
				await assert.rejects(client.refreshTokenGrant(shop.party, refresh_token ?? ""), refused);
			}
			assert.equal(await isAlive(service, shop.token), true);
			await client.fetchUserInfo(other.party, other.tokens.access_token, person.id);
			await client.refreshTokenGrant(other.party, other.tokens.refresh_token ?? "");
			assert.deepEqual(
				(await consentsOf(person)).map(({ application }) => application.id),
				[other.id],
			);
		});

		it("ends the sessions of the application that were opened without OpenID Connect, and no other", async () => {
			const { person, shop, consent } = await allowed();
			const { username, password } = person;
			const body = { username, password, app_id: shop.id };
			const opened = await Promise.all(
				[1, 2].map(() => service.call("POST", "/api/v1/auth/login", { body })),
			);
			const tokens = opened.map((response) => response.body.data.access_token);
			const foreign = await addPerson(service, `foreign-${round}`);
			const theirs = { ...body, username: foreign.username, password: foreign.password };
			const kept = [
				person.token,
				await signInToApplication(service, person),
				(await service.call("POST", "/api/v1/auth/login", { body: theirs })).body.data.access_token,
			];
			assert.equal((await withdraw(person.token, consent)).status, 204);
			for (const token of tokens) assert.equal(await isAlive(service, token), false);
			for (const token of kept) assert.equal(await isAlive(service, token), true);
			const [event] = (await auditOf(service, `user:${person.id}`)).slice(-1);
			assert.deepEqual([event?.action, event?.details.sessions], ["oauth.consent_withdrawn", 2]);
		});

		it("requires consent again afterwards, and audits the withdrawal", async () => {
			const { person, shop, consent } = await allowed();
			await withdraw(person.token, consent);
			const next = await shop.browser.go((await startAuthorization(shop.party)).url.href);
			assert.match(next.headers.location ?? "", /\/consent\?interaction=/);
			await obtainTokens(shop.party, shop.browser, shop.token);
			assert.notEqual(await consentOf(person), consent);
			const events = (await auditOf(service, `user:${person.id}`)).filter(({ action }) =>
				action.startsWith("oauth."),
			);
			assert.deepEqual(
				events.map(({ action }) => action),
				["oauth.consented", "oauth.consent_withdrawn", "oauth.consented"],
			);
			const { scopes, ...names } = events[1]?.details ?? {};
			assert.deepEqual(names, { app_id: shop.id, app_name: `Shop ${round}`, sessions: 0 });
			assert.equal(scopes, "openid profile email roles");
		});

		it("withdraws once on concurrent requests", async () => {
			const { person, consent } = await allowed();
			const responses = await Promise.all(Array.from({ length: 5 }, () => withdraw(person.token, consent)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, 404, 404, 404, 404]);
		});

		it("leaves no grant to concurrent authorization requests", async () => {
			for (let attempt = 0; attempt < atDepth({ quick: 1, all: 5, long: 25 }); attempt++) {
				const { person, shop, consent } = await allowed();
				const starts = await Promise.all(Array.from({ length: 4 }, () => startAuthorization(shop.party)));
				const [response] = await Promise.all([
					withdraw(person.token, consent),
					...starts.map(({ url }) => shop.browser.go(url.href)),
				]);
				assert.equal(response.status, 204);
				assert.deepEqual(await grantsOf(person), []);
			}
		});
	});

	describe("404", () => {
		it("rejects the consent of another user", async () => {
			const { person, consent } = await allowed();
			const other = await addPerson(service, `other-${round}`);
			assert.equal((await withdraw(other.token, consent)).status, 404);
			assert.equal((await grantsOf(person)).length, 1);
		});
	});

	async function codeOf({ party, browser, token }: Awaited<ReturnType<typeof allowed>>["shop"]) {
		const asked = await startAuthorization(party);
		return [await completeAuthorization(browser, asked.url, token), asked] as const;
	}
});

describe("GET /api/v1/users/me/grants", () => {
	describe("200", () => {
		it("returns the caller's grants and those of their groups in pages, newest first", async () => {
			const [ann, amy] = [await addPerson(service, "ann"), await addPerson(service, "amy")];
			const desk = await addApplication(service, { name: "Desk" });
			await addRole(service, desk.id, "reader");
			const sales = await addGroup(service, [ann.id], { name: "Sales" });
			const direct = await putGrant(service, desk.id, ann.id, ["reader"]);
			await putGrant(service, desk.id, amy.id);
			service.clock.advance(1_000);
			await putGroupGrant(service, desk.id, sales.id);
			const { status, body } = await service.call("GET", GRANTS, { token: ann.token });
			assert.deepEqual([status, body.total], [200, 2]);
			assert.deepEqual(
				body.data.map(({ app_name, group_name, roles }) => [app_name, group_name, roles]),
				[
					["Desk", "Sales", []],
					["Desk", null, ["reader"]],
				],
			);
			assert.equal(body.data[1]?.id, direct.id);
			const paged = await service.call("GET", `${GRANTS}?page=2&page_size=1`, { token: ann.token });
			assert.deepEqual([paged.body.total, paged.body.data[0]?.id], [2, direct.id]);
		});
	});
});
