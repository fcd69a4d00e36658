import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import { rows } from "../../harness/access-requests.ts";
import {
	allowApplication,
	ask,
	exchange,
	obtainTokens,
	startOpenIdService,
	walk,
} from "../../harness/openid.ts";
import { addPerson, auditOf, isAlive, type Person, signInToApplication } from "../../harness/people.ts";
import type { TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/consents";

describe("DELETE /api/v1/users/me/consents/{id}", () => {
	let service: TestService;
	let round = 0;
	before(async () => {
		service = await startOpenIdService();
	});
	after(() => service.stop());

	async function allowed() {
		const person = await addPerson(service, `person-${++round}`);
		const shop = await allowApplication(service, person, { name: `Shop ${round}` });
		return { person, shop, consent: await consentOf(person) };
	}
	const consentsOf = async ({ token }: Person) => (await service.call("GET", PATH, { token })).body.data;
	const consentOf = async (person: Person): Promise<string> => (await consentsOf(person))[0]?.id ?? "";
	const withdraw = (token: string, id: string) => service.call("DELETE", `${PATH}/${id}`, { token });
	const grantsOf = ({ id }: Person) => rows(service, "SELECT id FROM oauth_grants WHERE user_id = $1", id);
	const refused = { error: "invalid_grant" };

	describe("204", () => {
		it("ends what the application got in every session, and nothing else", async () => {
			const { person, shop, consent } = await allowed();
			const other = await allowApplication(service, person, { name: `Other ${round}` });
			const [code, asked] = await codeOf(shop);
			const later = await obtainTokens(shop.party, other.browser, other.token);
			const answer = await withdraw(person.token, consent);
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
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

		it("asks for consent again afterwards, and is in the audit trail", async () => {
			const { person, shop, consent } = await allowed();
			await withdraw(person.token, consent);
			const next = await shop.browser.go((await ask(shop.party)).url.href);
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
			assert.deepEqual(names, { app_id: shop.id, app_name: `Shop ${round}` });
			assert.equal(scopes, "openid profile email roles");
		});

		it("withdraws once for several simultaneous requests", async () => {
			const { person, consent } = await allowed();
			const answers = await Promise.all(Array.from({ length: 5 }, () => withdraw(person.token, consent)));
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 404, 404, 404, 404]);
		});

		it("leaves no token to a sign-in that is under way", async () => {
			for (let attempt = 0; attempt < 5; attempt++) {
				const { person, shop, consent } = await allowed();
				const starts = await Promise.all(Array.from({ length: 4 }, () => ask(shop.party)));
				const [answer] = await Promise.all([
					withdraw(person.token, consent),
					...starts.map(({ url }) => shop.browser.go(url.href)),
				]);
				assert.equal(answer.status, 204);
				assert.deepEqual(await grantsOf(person), []);
			}
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const { consent } = await allowed();
			assert.equal((await service.call("DELETE", `${PATH}/${consent}`)).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token, and the consent stays", async () => {
			const { person, consent } = await allowed();
			const answer = await withdraw(await signInToApplication(service, person), consent);
			assert.deepEqual([answer.status, await consentOf(person)], [403, consent]);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const { person, consent } = await allowed();
			const eve = await addPerson(service, `eve-${round}`);
			for (const id of [consent, "0190a0a0-0000-7000-8000-000000000000", "shop"]) {
				const answer = await withdraw(eve.token, id);
				assert.equal(answer.status, 404, id);
			}
			assert.equal((await grantsOf(person)).length, 1);
		});
	});

	async function codeOf({ party, browser, token }: Awaited<ReturnType<typeof allowed>>["shop"]) {
		const asked = await ask(party);
		return [await walk(browser, asked.url, token), asked] as const;
	}
});
