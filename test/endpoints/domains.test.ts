// Domains of email addresses, and where an address signs in.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { problemOf } from "../harness/access/applications.ts";
import { addDomain, addVerifiedDomain, DOMAINS } from "../harness/domains/domains.ts";
import { startNameServer } from "../harness/domains/name-server.ts";
import { auditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { testService } from "../harness/runs/fixture.ts";

const dns = await startNameServer();
after(() => dns[Symbol.asyncDispose]());
const service = testService({ nameServers: [dns.address] });
let count = 0;
const newName = () => `company-${++count}.example`;
const actionsOn = async (id: string) => (await auditOf(service, `domain:${id}`)).map(({ action }) => action);

describe("GET /api/v1/domains", () => {
	describe("200", () => {
		it("lists the domains, newest first", async () => {
			const names = [newName(), newName()];
			for (const name of names) {
				service.clock.advance(1_000);
				await addDomain(service, name);
			}
			const data = await service.asAdmin("GET", DOMAINS);
			assert.deepEqual(
				data.slice(0, 2).map(({ domain }) => domain),
				names.toReversed(),
			);
			assert.equal(data[0]?.set_up, null);
		});
	});
});

describe("POST /api/v1/domains", () => {
	describe("201", () => {
		it("returns the record of the row, and looks up nothing", async () => {
			const asked = dns.asked.length;
			const { id, record, verified_at, enforce } = await addDomain(service, "Ｅxämple-Company.Example");
			assert.equal(record.name, "_latchkey.xn--exmple-company-6hb.example");
			assert.match(record.value, /^latchkey-verification=[\w-]{43}$/);
			assert.deepEqual([record.type, verified_at, enforce], ["TXT", null, false]);
			assert.equal(dns.asked.length, asked);
			assert.deepEqual(await actionsOn(id), ["domain.added"]);
		});
	});
	describe("400", () => {
		it("refuses public mail providers, what is no domain, and what is no issuer", async () => {
			const { id } = await addProvider(service, {
				uses: ["workloads"],
				client_id: undefined,
				client_secret: undefined,
			});
			for (const [body, field] of [
				[{ domain: "gmail.com" }, "domain"],
				[{ domain: "GMX.de" }, "domain"],
				[{ domain: "localhost" }, "domain"],
				[{ domain: "a@company.example" }, "domain"],
				[{ domain: "1.2.3.4" }, "domain"],
				[{ domain: `${"a.".repeat(121)}example` }, "domain"],
				[{ domain: newName(), issuer_id: id }, "issuer_id"],
			] as const) {
				const problem = await problemOf(service, "POST", DOMAINS, body);
				assert.deepEqual([problem.status, problem.fields], [400, [field]], JSON.stringify(body));
			}
		});
	});
	describe("409", () => {
		it("refuses a domain that the tenant has, and the 101st", async () => {
			const domain = newName();
			await addDomain(service, domain);
			assert.equal((await problemOf(service, "POST", DOMAINS, { domain })).code, "domain.exists");
			const other = await addSecondTenant(service);
			const token = other.adminToken;
			for (let each = 0; each < 100; each++)
				assert.equal(
					(await service.call("POST", DOMAINS, { token, body: { domain: newName() } })).status,
					201,
				);
			const { status, body } = await service.call("POST", DOMAINS, {
				token,
				body: { domain: newName() },
				headers: { accept: "application/problem+json" },
			});
			assert.deepEqual([status, body.code], [409, "domain.too_many"]);
		});
	});
});

describe("GET /api/v1/domains/{domain}", () => {
	describe("200", () => {
		it("returns the domain", async () => {
			const added = await addDomain(service, newName());
			assert.deepEqual(await service.asAdmin("GET", `${DOMAINS}/${added.domain}`), {
				...added,
				set_up: null,
			});
		});
	});
});

describe("PATCH /api/v1/domains/{domain}", () => {
	describe("200", () => {
		it("sets the issuer, and enforces it", async () => {
			const { domain, id } = await addVerifiedDomain(service, dns, newName());
			const issuer = await addProvider(service);
			const body = { issuer_id: issuer.id, enforce: true };
			const changed = await service.asAdmin("PATCH", `${DOMAINS}/${domain}`, body);
			assert.deepEqual([changed.issuer_id, changed.enforce], [issuer.id, true]);
			assert.deepEqual(await actionsOn(id), ["domain.added", "domain.verified", "domain.updated"]);
		});
	});
	describe("400", () => {
		it("enforces nothing without an enabled issuer", async () => {
			const { domain } = await addVerifiedDomain(service, dns, newName());
			const { id } = await addProvider(service, { enabled: false });
			for (const body of [{ enforce: true }, { enforce: true, issuer_id: id }]) {
				const problem = await problemOf(service, "PATCH", `${DOMAINS}/${domain}`, body);
				assert.deepEqual([problem.status, problem.fields], [400, ["enforce"]]);
			}
		});
	});
	describe("409", () => {
		it("enforces nothing for a domain that is not verified", async () => {
			const { domain } = await addDomain(service, newName());
			const { id } = await addProvider(service);
			const body = { enforce: true, issuer_id: id };
			const problem = await problemOf(service, "PATCH", `${DOMAINS}/${domain}`, body);
			assert.equal(problem.code, "domain.unverified");
		});
	});
});

describe("POST /api/v1/domains/{domain}/verify", () => {
	describe("200", () => {
		it("verifies the domain by its record, and again without a second event", async () => {
			const verified = await addVerifiedDomain(service, dns, newName());
			assert.ok(verified.verified_at);
			service.clock.advance(1_000);
			const again = await service.asAdmin("POST", `${DOMAINS}/${verified.domain}/verify`);
			assert.equal(again.verified_at, verified.verified_at);
			assert.notEqual(again.record_seen_at, verified.record_seen_at);
			assert.deepEqual(await actionsOn(verified.id), ["domain.added", "domain.verified"]);
		});
	});
	describe("409", () => {
		it("says what DNS returned, and that another tenant holds it", async () => {
			const { domain, record } = await addDomain(service, newName());
			const code = async () => (await problemOf(service, "POST", `${DOMAINS}/${domain}/verify`)).code;
			assert.equal(await code(), "domain.unverified");
			const other = await addSecondTenant(service);
			const token = other.adminToken;
			const theirs = await service.call("POST", DOMAINS, { token, body: { domain } });
			dns.set(record.name, [record.value, theirs.body.data.record.value]);
			assert.equal((await service.call("POST", `${DOMAINS}/${domain}/verify`, { token })).status, 200);
			assert.equal(await code(), "domain.taken");
		});
	});
});

describe("DELETE /api/v1/domains/{domain}", () => {
	describe("204", () => {
		it("removes the domain, whose name another tenant then verifies", async () => {
			const { domain, id, record } = await addVerifiedDomain(service, dns, newName());
			await service.asAdmin("DELETE", `${DOMAINS}/${domain}`);
			assert.deepEqual((await actionsOn(id)).at(-1), "domain.removed");
			const other = await addSecondTenant(service);
			const token = other.adminToken;
			const theirs = await service.call("POST", DOMAINS, { token, body: { domain } });
			dns.set(record.name, [theirs.body.data.record.value]);
			assert.equal((await service.call("POST", `${DOMAINS}/${domain}/verify`, { token })).status, 200);
		});
	});
});

describe("POST /api/v1/auth/discover", () => {
	describe("200", () => {
		it("returns the provider of a verified domain, whether the address has an account or not", async () => {
			const issuer = await addProvider(service, { display_name: "Acme" });
			const { domain } = await addVerifiedDomain(service, dns, newName(), { issuer_id: issuer.id });
			const discover = async (identifier: string) =>
				(await service.call("POST", "/api/v1/auth/discover", { body: { identifier } })).body.data;
			const expected = { provider: issuer.provider, display_name: "Acme", enforced: false };
			assert.deepEqual(await discover(`nobody@${domain.toUpperCase()}`), expected);
			const pending = await addDomain(service, newName(), { issuer_id: issuer.id });
			for (const other of ["admin", `a@sub.${domain}`, domain, `a@b@${domain}`, `a@${pending.domain}`])
				assert.deepEqual(await discover(other), {}, other);
			await service.asAdmin("PATCH", `/api/v1/identity-providers/${issuer.id}`, { enabled: false });
			assert.deepEqual(await discover(`nobody@${domain}`), {});
		});
	});
});
