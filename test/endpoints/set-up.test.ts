// Set-up links: an organization sets up its own sign-in.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { ABSENT_ID, addApplication, problemOf } from "../harness/access/applications.ts";
import { DOMAINS } from "../harness/domains/domains.ts";
import { startNameServer } from "../harness/domains/name-server.ts";
import { listMails } from "../harness/mail/mails.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { providerBody } from "../harness/providers/identity-providers.ts";
import { signInAtProvider } from "../harness/providers/oidc-provider.ts";
import {
	cookiesOf,
	IDENTITY_PROVIDERS,
	keepCookies,
	newJar,
	openStage,
} from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";
import type { CallResponse } from "../harness/service/service.ts";

const LINKS = "/api/v1/identity-providers/set-up-links";
const SET_UP = "/api/v1/set-up";
const DOMAIN = "customer.example";
const dns = await startNameServer();
const stage = fixture(() =>
	openStage(
		[
			{ sub: "it", email: `it@${DOMAIN}`, email_verified: true },
			{ sub: "other", email: "it@other.example", email_verified: true },
			{ sub: "racer", email: "racer@race.example", email_verified: true },
		],
		{ nameServers: [dns.address], redirectsTo: "https://id.latchkey.example/" },
	),
);
after(async () => {
	await stage?.stop();
	await dns[Symbol.asyncDispose]();
});

type Problem = { readonly code?: string; readonly data?: Record<string, unknown> };
let count = 0;
const newDomain = () => `customer-${++count}.example`;
const tokenOf = async (domain: string, fields: object = {}): Promise<string> => {
	const { url } = await stage.service.asAdmin("POST", LINKS, { domain, ...fields });
	return String(url).split("#")[1] ?? "";
};
const call = async (token: string, method: string, path: string, body?: object, headers: object = {}) => {
	const response = await stage.service.call<Problem>(method, `${SET_UP}${path}`, {
		token,
		body,
		headers: { accept: "application/problem+json", ...headers },
	});
	return { ...response, code: response.body?.code };
};
const settings = () => ({
	issuer: stage.provider.issuer,
	client_id: "latchkey",
	client_secret: "the secret of latchkey at its provider",
});
/** A trial sign-in in one browser. @returns the outcome in the fragment */
const tryAs = async (token: string, sub: string): Promise<string> => {
	const jar = newJar();
	const started = await call(token, "POST", "/test", undefined, cookiesOf(jar));
	assert.equal(started.status, 200, JSON.stringify(started.body));
	keepCookies(jar, started as unknown as CallResponse);
	const callback = await signInAtProvider(String(started.body.data?.authorization_url), sub);
	const { headers } = await stage.visit(jar, callback);
	return String(headers.location);
};
const publish = async (token: string): Promise<void> => {
	const { record } = (await call(token, "GET", "")).body.data as { record: { name: string; value: string } };
	dns.set(record.name, [record.value]);
};

describe("POST /api/v1/identity-providers/set-up-links", () => {
	describe("201", () => {
		it("returns a link of seven days, adds the domain, and replaces the earlier link", async () => {
			const domain = newDomain();
			const { id } = await addApplication(stage.service, { name: "Orders" });
			const { url, expires_at } = await stage.service.asAdmin("POST", LINKS, { domain, application_id: id });
			assert.match(url, /^https:\/\/id\.latchkey\.example\/set-up#lsu_[\w-]{43}$/);
			const inDays = (Date.parse(expires_at) - stage.service.clock.now()) / 86_400_000;
			assert.ok(inDays > 6.9 && inDays <= 7, String(inDays));
			const first = url.split("#")[1] ?? "";
			assert.equal((await call(first, "GET", "")).body.data?.application, "Orders");
			const second = await tokenOf(domain);
			assert.deepEqual(
				[(await call(first, "GET", "")).code, (await call(second, "GET", "")).status],
				["token.invalid", 200],
			);
		});
	});
	it("leaves one usable link of concurrent requests", async () => {
		for (const known of [false, true]) {
			const domain = newDomain();
			if (known) await stage.service.asAdmin("POST", DOMAINS, { domain });
			const tokens = await Promise.all(Array.from({ length: 5 }, () => tokenOf(domain)));
			const read = await Promise.all(tokens.map(async (token) => (await call(token, "GET", "")).status));
			assert.deepEqual(read.toSorted(), [200, 401, 401, 401, 401]);
		}
	});
	describe("400", () => {
		it("refuses public mail providers, and applications that do not exist", async () => {
			for (const [body, field] of [
				[{ domain: "gmail.com" }, "domain"],
				[{ domain: newDomain(), application_id: ABSENT_ID }, "application_id"],
				[{ domain: newDomain(), expires_in: 60 }, "expires_in"],
			] as const) {
				const problem = await problemOf(stage.service, "POST", LINKS, body);
				assert.deepEqual([problem.status, problem.fields], [400, [field]]);
			}
		});
	});
	describe("409", () => {
		it("refuses a domain that has its provider, and a 101st domain", async () => {
			const domain = newDomain();
			await stage.service.asAdmin("POST", DOMAINS, { domain });
			const { id } = await stage.addProvider("second");
			await stage.service.asAdmin("PATCH", `${DOMAINS}/${domain}`, { issuer_id: id });
			assert.equal((await problemOf(stage.service, "POST", LINKS, { domain })).code, "set_up.done");
			const { data } = (await stage.service.callAsAdmin("GET", DOMAINS)).body;
			const added: string[] = [];
			for (let each = data.length; each < 100; each++) {
				added.push(newDomain());
				await stage.service.asAdmin("POST", DOMAINS, { domain: added.at(-1) });
			}
			assert.equal(
				(await problemOf(stage.service, "POST", LINKS, { domain: newDomain() })).code,
				"domain.too_many",
			);
			for (const name of added) await stage.service.asAdmin("DELETE", `${DOMAINS}/${name}`);
		});
	});
});

describe("DELETE /api/v1/identity-providers/set-up-links/{domain}", () => {
	describe("204", () => {
		it("ends the open link, keeps what it began, and lets a new one continue", async () => {
			const domain = newDomain();
			const token = await tokenOf(domain);
			await call(token, "PUT", "", settings());
			const { id, issuer_id } = await stage.service.asAdmin("GET", `${DOMAINS}/${domain}`);
			for (let time = 0; time < 2; time++)
				assert.equal((await problemOf(stage.service, "DELETE", `${LINKS}/${domain}`)).status, 204);
			assert.equal((await call(token, "GET", "")).code, "token.invalid");
			const row = await stage.service.asAdmin("GET", `${DOMAINS}/${domain}`);
			assert.equal(row.issuer_id, issuer_id);
			assert.ok(Date.parse(row.set_up?.expires_at ?? "") <= stage.service.clock.now());
			const actions = (await auditOf(stage.service, `domain:${id}`)).map(({ action }) => action);
			assert.deepEqual(
				actions.filter((action) => action === "set_up.link_revoked"),
				["set_up.link_revoked"],
			);
			assert.equal(
				(await problemOf(stage.service, "PATCH", `${IDENTITY_PROVIDERS}/${issuer_id}`, { enabled: true }))
					.code,
				"set_up.open",
			);
			const next = await tokenOf(domain);
			assert.equal((await call(next, "GET", "")).body.data?.issuer, stage.provider.issuer);
		});

		it("leaves no token that a node with a clock behind would take", async () => {
			const domain = newDomain();
			const token = await tokenOf(domain);
			await problemOf(stage.service, "DELETE", `${LINKS}/${domain}`);
			await using engine = await stage.service.openDatabase();
			await engine.queries.run(
				"UPDATE set_up_links SET expires_at = $2 WHERE domain_id IN (SELECT id FROM domains WHERE domain = $1)",
				domain,
				stage.service.clock.now() + 60_000,
			);
			assert.equal((await call(token, "GET", "")).code, "token.invalid");
		});

		it("voids a trial sign-in that is under way", async () => {
			const domain = newDomain();
			const token = await tokenOf(domain);
			await call(token, "PUT", "", settings());
			const jar = newJar();
			const started = await call(token, "POST", "/test", undefined, cookiesOf(jar));
			keepCookies(jar, started as unknown as CallResponse);
			const callback = await signInAtProvider(String(started.body.data?.authorization_url), "it");
			await problemOf(stage.service, "DELETE", `${LINKS}/${domain}`);
			await stage.visit(jar, callback);
			assert.equal((await stage.service.asAdmin("GET", `${DOMAINS}/${domain}`)).set_up?.tested_by, "");
		});
	});
	describe("404", () => {
		it("knows no domain of another tenant", async () => {
			const { adminToken: token } = await addSecondTenant(stage.service);
			const domain = newDomain();
			const link = await tokenOf(domain);
			const { status } = await stage.service.call("DELETE", `${LINKS}/${domain}`, { token });
			assert.deepEqual([status, (await call(link, "GET", "")).status], [404, 200]);
		});
	});
});

describe("GET /api/v1/set-up", () => {
	describe("200", () => {
		it("says what to register before anything is saved", async () => {
			const { body } = await call(await tokenOf(newDomain()), "GET", "");
			const { callback_url, issuer, tested_at, record } = body.data as Record<string, unknown>;
			assert.match(String(callback_url), /\/third-party\/customer-\d+-example-[0-9a-f]{6}\/callback$/);
			assert.deepEqual([issuer, tested_at], [null, null]);
			assert.match(JSON.stringify(record), /_latchkey\.customer-/);
		});
	});
	describe("401", () => {
		it("knows no link that expired, was replaced, or never existed, and no other token", async () => {
			const token = await tokenOf(newDomain(), { expires_in: 3_600 });
			stage.service.clock.advance(3_600_000);
			const other = `lsu_${"A".repeat(43)}`;
			for (const bad of [token, other, "lsu_", `${other}A`, await stage.service.adminToken()])
				assert.deepEqual(
					[(await call(bad, "GET", "")).status, (await call(bad, "PUT", "", settings())).code],
					[401, "token.invalid"],
				);
		});
	});
});

describe("PUT /api/v1/set-up", () => {
	describe("200", () => {
		it("creates the provider, disabled and for this domain only, and changes it", async () => {
			const token = await tokenOf(newDomain());
			const { body } = await call(token, "PUT", "", settings());
			assert.deepEqual([body.data?.issuer, body.data?.client_id], [stage.provider.issuer, "latchkey"]);
			await call(token, "PUT", "", { ...settings(), client_id: "renamed" });
			const { data } = (await stage.service.callAsAdmin("GET", IDENTITY_PROVIDERS)).body;
			const [made] = data;
			assert.deepEqual(
				[made?.enabled, made?.email_domains, made?.client_id, made?.created_by],
				[false, "verified", "renamed", null],
			);
			const events = await auditOf(stage.service, `identity_provider:${made?.id}`);
			assert.deepEqual(
				events.map(({ action, actor }) => [action, actor.split(":")[0]]),
				[
					["identity_provider.created", "set-up"],
					["identity_provider.updated", "set-up"],
				],
			);
		});
	});
	describe("400", () => {
		it("names an issuer that is not the one of its document, and a missing secret", async () => {
			const token = await tokenOf(newDomain());
			const slash = await call(token, "PUT", "", { ...settings(), issuer: `${stage.provider.issuer}/` });
			assert.equal(slash.code, "issuer.mismatch");
			const bare = await call(token, "PUT", "", { ...settings(), client_secret: undefined });
			assert.deepEqual([bare.status, bare.code], [400, "request.invalid"]);
		});
	});
	describe("401", () => {
		it("is the only thing that a link can change: no directory, no domain, no other link", async () => {
			const { service } = stage;
			const domain = newDomain();
			const token = await tokenOf(domain);
			await call(token, "PUT", "", settings());
			const { issuer_id } = await service.asAdmin("GET", `${DOMAINS}/${domain}`);
			const provider = `${IDENTITY_PROVIDERS}/${issuer_id}`;
			const before = await service.asAdmin("GET", provider);
			for (const [method, path, body] of [
				["PUT", `${provider}/directory`, { on_remove: "delete" }],
				["GET", `${provider}/directory`],
				["POST", `${provider}/directory/rotate-token`, {}],
				["GET", `${provider}/directory/events`],
				["DELETE", `${provider}/directory`],
				["GET", `/scim/v2/${issuer_id}/Users`],
				["GET", provider],
				["PATCH", provider, { enabled: true }],
				["POST", `${provider}/test`, {}],
				["DELETE", provider],
				["GET", `${DOMAINS}/${domain}`],
				["PATCH", `${DOMAINS}/${domain}`, { enforce: true }],
				["POST", `${DOMAINS}/${domain}/verify`],
				["DELETE", `${DOMAINS}/${domain}`],
				["POST", LINKS, { domain }],
				["DELETE", `${LINKS}/${domain}`],
			] as const)
				assert.equal((await service.call(method, path, { token, body })).status, 401, method + path);
			assert.deepEqual(await service.asAdmin("GET", provider), before);
		});

		it("ends when an administrator gives the domain another provider", async () => {
			const domain = newDomain();
			const token = await tokenOf(domain);
			const { id } = await stage.addProvider("open", { client_id: "of the administrator" });
			await stage.service.asAdmin("PATCH", `${DOMAINS}/${domain}`, { issuer_id: id });
			for (const [method, path, body] of [
				["GET", "", undefined],
				["PUT", "", settings()],
				["POST", "/test", undefined],
			] as const)
				assert.equal((await call(token, method, path, body)).code, "token.invalid", method + path);
			assert.equal((await stage.service.asAdmin("GET", `${DOMAINS}/${domain}`)).issuer_id, id);
		});
	});
	describe("409", () => {
		it("refuses settings while another provider has the callback URL of the link", async () => {
			const token = await tokenOf(newDomain());
			const { callback_url } = (await call(token, "GET", "")).body.data as { callback_url: string };
			const provider = callback_url.split("/").at(-2);
			const { id } = await stage.service.asAdmin("POST", IDENTITY_PROVIDERS, {
				...providerBody({ provider }),
				force: true,
			});
			assert.equal((await call(token, "PUT", "", settings())).code, "identity_provider.slug_taken");
			await stage.service.asAdmin("DELETE", `${IDENTITY_PROVIDERS}/${id}`);
			assert.equal((await call(token, "PUT", "", settings())).status, 200);
		});

		it("refuses a provider beyond the limit of the tenant", async () => {
			const { service } = stage;
			const ids: string[] = [];
			for (let each = 0; ; each++) {
				const body = { ...providerBody({ provider: `full-${each}` }), force: true };
				const made = await service.callAsAdmin("POST", IDENTITY_PROVIDERS, { body });
				if (made.status !== 201) break;
				ids.push(made.body.data.id);
			}
			const refused = await call(await tokenOf(newDomain()), "PUT", "", settings());
			assert.equal(refused.code, "identity_provider.too_many");
			for (const id of ids) await service.asAdmin("DELETE", `${IDENTITY_PROVIDERS}/${id}`);
		});
	});
});

describe("POST /api/v1/set-up/test", () => {
	describe("200", () => {
		it("counts a sign-in by an address of the domain, until the settings change", async () => {
			const token = await tokenOf(DOMAIN);
			await call(token, "PUT", "", settings());
			const shown = async () => {
				const { tested_by, tested_at } = (await call(token, "GET", "")).body.data as Record<string, unknown>;
				return [tested_by, tested_at !== null];
			};
			assert.equal(await tryAs(token, "other"), "https://id.latchkey.example/set-up#tested");
			assert.deepEqual(await shown(), ["it@other.example", false]);
			await tryAs(token, "it");
			assert.deepEqual(await shown(), [`it@${DOMAIN}`, true]);
			await call(token, "PUT", "", settings());
			assert.deepEqual(await shown(), ["", false]);

			await tryAs(token, "it");
			const { issuer_id } = await stage.service.asAdmin("GET", `${DOMAINS}/${DOMAIN}`);
			const change = (fields: object) =>
				stage.service.asAdmin("PATCH", `${IDENTITY_PROVIDERS}/${String(issuer_id)}`, fields);
			await change({ display_name: "Customer" });
			assert.deepEqual(await shown(), [`it@${DOMAIN}`, true]);
			await change({ client_secret: "another secret of the administrator" });
			assert.deepEqual(await shown(), ["", false]);
			assert.equal((await call(token, "POST", "/finish")).code, "set_up.untested");
		});

		it("decides two trials that end at once by one of them, whose address it shows", async () => {
			const token = await tokenOf("race.example");
			await call(token, "PUT", "", settings());
			const begin = async (sub: string) => {
				const jar = newJar();
				const started = await call(token, "POST", "/test", undefined, cookiesOf(jar));
				keepCookies(jar, started as unknown as CallResponse);
				const callback = await signInAtProvider(String(started.body.data?.authorization_url), sub);
				return () => stage.visit(jar, callback);
			};
			for (let round = 0; round < 3; round++) {
				const ends = [await begin("racer"), await begin("other")];
				await Promise.all(ends.map((end) => end()));
				const shown = (await call(token, "GET", "")).body.data as Record<string, unknown>;
				assert.ok(["racer@race.example", "it@other.example"].includes(String(shown.tested_by)));
				assert.equal(shown.tested_at !== null, shown.tested_by === "racer@race.example");
			}
			const { id } = await stage.service.asAdmin("GET", `${DOMAINS}/race.example`);
			const trials = (await auditOf(stage.service, `domain:${id}`)).filter(
				({ action }) => action === "set_up.tested",
			);
			assert.equal(trials.length, 6);
		});
	});
	describe("409", () => {
		it("needs saved settings", async () => {
			assert.equal((await call(await tokenOf(newDomain()), "POST", "/test")).code, "set_up.untested");
		});
	});
});

describe("POST /api/v1/set-up/finish", () => {
	describe("204", () => {
		it("needs a trial and the record, ends the link, and lets an administrator enable the provider", async () => {
			const token = await tokenOf(DOMAIN);
			await call(token, "PUT", "", settings());
			assert.equal((await call(token, "POST", "/finish")).code, "set_up.untested");
			await tryAs(token, "it");
			assert.equal((await call(token, "POST", "/finish")).code, "domain.unverified");
			const { issuer_id } = await stage.service.asAdmin("GET", `${DOMAINS}/${DOMAIN}`);
			const provider = `${IDENTITY_PROVIDERS}/${issuer_id}`;
			const enable = () => problemOf(stage.service, "PATCH", provider, { enabled: true });
			assert.deepEqual([(await enable()).status, (await enable()).code], [409, "set_up.open"]);
			await publish(token);
			const chief = await addPerson(stage.service, "chief", { roles: ["admin"] });
			assert.equal((await call(token, "POST", "/finish")).status, 204);
			for (const [method, path] of [
				["GET", ""],
				["PUT", ""],
				["POST", "/test"],
				["POST", "/finish"],
			] as const)
				assert.equal(
					(await call(token, method, path, method === "PUT" ? settings() : undefined)).status,
					401,
				);
			const { set_up } = (await stage.service.asAdmin("GET", provider)) as {
				set_up?: { domain: string; tested_by: string };
			};
			assert.deepEqual([set_up?.domain, set_up?.tested_by], [DOMAIN, `it@${DOMAIN}`]);
			assert.equal((await enable()).status, 200);
			const mails = (await listMails(stage.service, `to=${chief.email}`)).filter(({ subject }) =>
				subject.replaceAll("\u200b", "").includes(DOMAIN),
			);
			assert.equal(mails.length, 1);
			const { id } = await stage.service.asAdmin("GET", `${DOMAINS}/${DOMAIN}`);
			const actions = (await auditOf(stage.service, `domain:${id}`)).map(({ action }) => action);
			assert.deepEqual(actions.slice(-3), ["set_up.tested", "domain.verified", "set_up.finished"]);
			assert.equal((await problemOf(stage.service, "POST", LINKS, { domain: DOMAIN })).code, "set_up.done");
		});
	});
	describe("409", () => {
		it("refuses a domain that another tenant has proved", async () => {
			const { service } = stage;
			const token = await tokenOf("other.example");
			await call(token, "PUT", "", settings());
			await tryAs(token, "other");
			const { record } = (await call(token, "GET", "")).body.data as {
				record: { name: string; value: string };
			};
			const { adminToken } = await addSecondTenant(service);
			const theirs = await service.call("POST", DOMAINS, {
				token: adminToken,
				body: { domain: "other.example" },
			});
			dns.set(record.name, [record.value, theirs.body.data.record.value]);
			await service.call("POST", `${DOMAINS}/other.example/verify`, { token: adminToken });
			assert.equal((await call(token, "POST", "/finish")).code, "domain.taken");
		});
	});
});
