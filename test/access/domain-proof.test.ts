// A domain belongs to the tenant that its DNS names: what does not prove it, and what a missing record ends.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createTxtReader } from "../../src/adapters/read-txt.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { problemOf } from "../harness/access/applications.ts";
import { addReview, itemsOf, REVIEWS } from "../harness/access/reviews.ts";
import { addDomain, addVerifiedDomain, DOMAINS, runDomainChecks } from "../harness/domains/domains.ts";
import { startNameServer } from "../harness/domains/name-server.ts";
import { listMails } from "../harness/mail/mails.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { addPersonWithPasskey, PASSKEY_SIGN_IN, passkeyOptions } from "../harness/people/second-factors.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const dns = await startNameServer();
after(() => dns[Symbol.asyncDispose]());
const service = testService({ nameServers: [dns.address] });
let count = 0;
const newName = () => `proof-${++count}.example`;
const refusalOf = async (domain: string): Promise<string> => {
	const response = await service.callAsAdmin("POST", `${DOMAINS}/${domain}/verify`);
	assert.equal(response.status, 409);
	return (response.body as unknown as { error: string }).error;
};

describe("a domain is not proved", () => {
	it("by a name that does not exist, without the record, and by a loop of aliases", async () => {
		const { domain, record } = await addDomain(service, newName());
		assert.match(await refusalOf(domain), /_latchkey\.proof-\d+\.example has no TXT record \(ENOTFOUND\)/);
		dns.set(record.name, []);
		assert.match(await refusalOf(domain), /no TXT record \(ENODATA\)/);
		dns.set(record.name, "loop");
		assert.match(await refusalOf(domain), /no TXT record|no answer/);
	});

	it("by a silent name server, within seconds", async () => {
		const { domain, record } = await addDomain(service, newName());
		dns.set(record.name, "silent");
		const startedAt = performance.now();
		assert.match(await refusalOf(domain), /did not respond for .* \((?:ETIMEOUT|ECANCELLED)\)/);
		assert.ok(performance.now() - startedAt < 8_000);
	});

	it("by other records, of which the message shows a few without what is invisible", async () => {
		const { domain, record } = await addDomain(service, newName());
		const others = [
			"v=spf1 -all",
			`\u202e${"x".repeat(300)}`,
			record.value.toUpperCase(),
			`${record.value} `,
		];
		dns.set(record.name, others);
		const message = await refusalOf(domain);
		assert.match(message, /has 4 TXT records without the value: "v=spf1 -all", "\?{3}x{77}", /);
		assert.ok(message.length < 400, message);
	});

	it("by the value of another tenant's row, or of an earlier row", async () => {
		const { domain, record } = await addDomain(service, newName());
		const other = await addSecondTenant(service);
		const token = other.adminToken;
		const theirs = await service.call("POST", DOMAINS, { token, body: { domain } });
		assert.notEqual(theirs.body.data.record.value, record.value);
		dns.set(record.name, [record.value]);
		assert.equal((await service.call("POST", `${DOMAINS}/${domain}/verify`, { token })).status, 409);
		await service.asAdmin("DELETE", `${DOMAINS}/${domain}`);
		await addDomain(service, domain);
		assert.match(await refusalOf(domain), /1 TXT record without the value/);
	});
});

describe("a domain is proved", () => {
	it("among a hundred records, which the name server sends over TCP", async () => {
		const { domain, record } = await addDomain(service, newName());
		const others = Array.from({ length: 99 }, (_, index) => `other-${index}=${"y".repeat(100)}`);
		dns.set(record.name, [...others, record.value]);
		const { verified_at } = await service.asAdmin("POST", `${DOMAINS}/${domain}/verify`);
		assert.ok(verified_at);
		const long = "z".repeat(600);
		dns.set("long.example", [long]);
		assert.deepEqual((await createTxtReader([dns.address])("long.example")).records, [long]);
	});

	it("for one of two tenants that verify it at once", async () => {
		const { domain, record } = await addDomain(service, newName());
		const { adminToken } = await addSecondTenant(service);
		const theirs = await service.call("POST", DOMAINS, { token: adminToken, body: { domain } });
		dns.set(record.name, [record.value, theirs.body.data.record.value]);
		const tokens = [await service.adminToken(), adminToken, await service.adminToken(), adminToken];
		const responses = await Promise.all(
			tokens.map((token) => service.call("POST", `${DOMAINS}/${domain}/verify`, { token })),
		);
		assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 409, 409]);
	});

	it("without that adding another one, or asking about an address, looks up any name", async () => {
		const verified = await addVerifiedDomain(service, dns, newName());
		const asked = dns.asked.length;
		const { domain } = await addDomain(service, newName());
		for (const identifier of [`a@${domain}`, `a@${verified.domain}`, "a@unknown.example"])
			await service.call("POST", "/api/v1/auth/discover", { body: { identifier } });
		for (const name of ["unknown.example", "%00", "a".repeat(300)])
			await problemOf(service, "POST", `${DOMAINS}/${name}/verify`);
		assert.equal(dns.asked.length, asked);
		const { set_up, ...shown } = await service.asAdmin("GET", `${DOMAINS}/${verified.domain}`);
		assert.deepEqual([shown, set_up], [verified, null]);
	});
});

describe("a verified domain without its record", () => {
	it("is looked up by one node, while another one looks up the next", async () => {
		const names = [newName(), newName()];
		for (const name of names) await addVerifiedDomain(service, dns, name);
		const { db, clock, close } = await openBeside(service);
		const now = clock() + 2 * DAY_MS;
		const claim = () => db.transaction(({ domains }) => domains.claimDue(now, now + DAY_MS));
		const claimed: (string | undefined)[] = [];
		while (!claimed.includes(undefined))
			claimed.push(...(await Promise.all([claim(), claim()])).map((row) => row?.domain));
		await close();
		const found = claimed.filter((name) => name !== undefined);
		assert.equal(new Set(found).size, found.length, "one was claimed twice");
		for (const name of names) assert.ok(found.includes(name));
		assert.ok(claimed.indexOf(undefined) >= found.length - 1, "a lost race ended a run");
	});

	it("is mailed after three days, and after thirty not verified, without locking anyone out", async () => {
		const { id } = await addProvider(service);
		const {
			domain,
			record,
			id: domainId,
		} = await addVerifiedDomain(service, dns, newName(), { issuer_id: id });
		await service.asAdmin("PATCH", `${DOMAINS}/${domain}`, { enforce: true });
		const chief = await addPerson(service, "chief", { roles: ["admin"] });
		// Only about the domain: a new administrator gets no other mail.
		const mails = () => listMails(service, `to=${chief.email}`);
		const after = async (days: number) => {
			service.clock.advance(days * DAY_MS);
			await runDomainChecks(service, dns);
			const { verified_at, enforce } = await service.asAdmin("GET", `${DOMAINS}/${domain}`);
			return [verified_at !== null, enforce, (await mails()).length];
		};
		assert.deepEqual(await after(2), [true, true, 0]);
		dns.set(record.name, "silent");
		assert.deepEqual(await after(2), [true, true, 0]);
		dns.set(record.name, []);
		assert.deepEqual(await after(2), [true, true, 1]);
		dns.set(record.name, [record.value]);
		assert.deepEqual(await after(1), [true, true, 1]);
		dns.set(record.name, []);
		assert.deepEqual(await after(40), [true, true, 2], "one mail before the end, even after an outage");
		assert.deepEqual(await after(26), [true, true, 2]);
		assert.deepEqual(await after(2), [false, false, 3]);
		const asked = dns.asked.length;
		assert.deepEqual(await after(2), [false, false, 3]);
		assert.equal(dns.asked.slice(asked).includes(record.name), false);
		assert.equal((await auditOf(service, `domain:${domainId}`)).at(-1)?.action, "domain.lost");
	});
});

it("ends the sessions of an administrator whose roles a review takes, where a domain is enforced", async () => {
	const issuer = await addProvider(service);
	const { domain } = await addVerifiedDomain(service, dns, newName(), { issuer_id: issuer.id });
	await service.asAdmin("PATCH", `${DOMAINS}/${domain}`, { enforce: true });
	const boss = await addPerson(service, "boss", { roles: ["admin"], email: `boss@${domain}` });
	const review = await addReview(service);
	const items = await itemsOf(service, review.id);
	const item = items.find(({ subject_id }) => subject_id === boss.id) ?? assert.fail("no such item");
	await service.asAdmin("POST", `${REVIEWS}/${review.id}/items/${item.id}`, { decision: "end" } as never);
	const me = async () => (await service.call("GET", "/api/v1/users/me", { token: boss.token })).status;
	assert.equal(await me(), 200);
	await service.asAdmin("POST", `${REVIEWS}/${review.id}/close`);
	assert.equal(await me(), 401);
});

it("refuses the passkey of a user of an enforced domain", async () => {
	const issuer = await addProvider(service);
	const { domain } = await addVerifiedDomain(service, dns, newName(), { issuer_id: issuer.id });
	const { id, authenticator } = await addPersonWithPasskey(service, "keyed");
	await service.asAdmin("PATCH", `/api/v1/users/${id}`, { email: `keyed@${domain}` });
	const signIn = async () => {
		const assertion = authenticator.get(await passkeyOptions(service));
		const headers = { accept: "application/problem+json" };
		const response = await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion }, headers });
		return [response.status, (response.body as { code?: string }).code];
	};
	assert.deepEqual(await signIn(), [200, undefined]);
	await service.asAdmin("PATCH", `${DOMAINS}/${domain}`, { enforce: true });
	assert.deepEqual(await signIn(), [403, "sign_in.enforced"]);
});
