// What a configuration file holds: the table of its resources against the map, random tenants, and the examples.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CHANGES as ASKED } from "../pages/console/configured-routes.ts";
import { configurationSchema } from "../src/app/configuration-schema.ts";
import { describeRoutes } from "../src/app/described-routes.ts";
import { parseDocument, writeDocument } from "../src/features/access/configuration/document-wire.ts";
import { planChanges } from "../src/features/access/configuration/plan-changes.ts";
import { fieldNames, type StoredResource } from "../src/features/access/configuration/read-state.ts";
import { KINDS, type KindName, keyOf, kindOf } from "../src/features/access/configuration/resource-table.ts";
import { describeRows, SharedChecks } from "../src/features/access/configuration/rows-wire.ts";
import type { Schema } from "../src/http/describe/schema.ts";
import { addApiClient, addCast } from "./harness/access/applications.ts";
import { ask, BEHIND_PROXY, browserCookie, signedCall } from "./harness/access/gate-calls.ts";
import { addAdminKey } from "./harness/people/admin-keys.ts";
import { addPerson } from "./harness/people/people.ts";
import { addSecondTenant } from "./harness/people/second-tenant.ts";
import { fixture, testService } from "./harness/runs/fixture.ts";
import { exampleOf } from "./matrix/violations.ts";

const service = testService({ env: BEHIND_PROXY });
const cast = fixture(() => addCast(service));
const routes = describeRoutes();
const rows = describeRows(routes);
const NAMES = Object.keys(KINDS) as KindName[];

describe("the table of resources", () => {
	it("has a default for every field that a row does not require", () => {
		for (const name of NAMES) {
			const { create, update, defaults, writeOnly = [] } = kindOf(name);
			const required = rows.schemaOf(create ?? update).required;
			const known = defaults({ type: "web" });
			for (const field of fieldNames(rows, name))
				assert.ok(
					required.includes(field) || writeOnly.includes(field) || field in known || name === "grant",
					`${name}.${field} has no default in resource-table.ts`,
				);
		}
	});

	it("has the routes before which the console asks", () => {
		const names = [
			"group",
			"identity_provider",
			"application",
			"role",
			"oauth_client",
			"gate",
			"grant",
			"webhook",
			"branding",
			"tenant",
		] as const;
		const changing = names.flatMap((name) => {
			const { create = "", update, remove = "" } = kindOf(name);
			// Of a new record, nothing is managed yet.
			return [update, remove, ...(create.includes("{") ? [create] : [])].filter((row) => row !== "");
		});
		const asked = routes
			.map(({ method, path }) => `${method} ${path}`)
			.filter((row) => ASKED.test(row.replace("/api/v1", "")));
		assert.deepEqual(asked.sort(), [...new Set(changing)].sort());
	});

	it("has the defaults of new records", async () => {
		const { adminToken: token } = await addSecondTenant(service);
		const make = async (method: "POST" | "PUT", path: string, body: object) => {
			const response = await service.call<{ data: { id: string } }>(method, path, { token, body });
			assert.ok(response.status < 300, `${path} ${JSON.stringify(response.body)}`);
			return response.body.data;
		};
		await make("POST", "/api/v1/groups", { name: "Group" });
		await make("POST", "/api/v1/webhooks", {
			url: "https://hooks.example/in",
			event_types: ["user.created"],
		});
		await make("POST", "/api/v1/identity-providers", {
			provider: "google",
			kind: "google",
			display_name: "Google",
			client_id: "id",
			client_secret: "secret",
		});
		for (const type of ["web", "spa", "native", "service"]) {
			const { id } = await make("POST", "/api/v1/applications", { name: type, slug: type });
			await make("POST", `/api/v1/applications/${id}/roles`, { name: "role" });
			await make("PUT", `/api/v1/applications/${id}/oauth-client`, { type });
			await make("PUT", `/api/v1/applications/${id}/gate`, { rules: [] });
		}
		const { body } = await service.call("POST", "/api/v1/config/export", { token });
		const application = (type: string): string =>
			`  ${type}:\n    gate:\n      rules: []\n    name: ${type}\n    oauth_client:\n      type: ${type}\n    roles:\n      role: {}\n`;
		assert.equal(
			body.data.document.split("\n").slice(1).join("\n"),
			`applications:\n${["native", "service", "spa", "web"].map(application).join("")}groups:
  Group: {}
identity_providers:
  google:
    client_id: id
    display_name: Google
    kind: google
webhooks:
  https://hooks.example/in:
    event_types:
      - user.created
`,
		);
	});

	it("is what the JSON Schema at /docs/config.schema.json describes", async () => {
		const served = await fetch(`${service.httpUrl}/docs/config.schema.json`);
		assert.equal(served.status, 200);
		const schema = (await served.json()) as { properties: Record<string, { additionalProperties: unknown }> };
		assert.deepEqual(schema, JSON.parse(JSON.stringify(await configurationSchema())));
		assert.deepEqual(Object.keys(schema.properties), [
			"groups",
			"identity_providers",
			"applications",
			"webhooks",
			"branding",
			"tenant",
		]);
	});
});

/** Numbers from 0 to 1 that a seed decides. */
function numbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

const TEXTS = [
	"",
	"a",
	"yes",
	"null",
	"0x1F",
	"# no",
	"- x",
	"a: b",
	"'\"",
	"ü\n — two lines",
	"*",
	"{x}",
	" .nan",
	"2026-01-01",
];

/** They name other resources, in the file otherwise than in the API. */
const NAMING = ["workloads", "requestable"];

function randomState(seed: number): Map<string, StoredResource> {
	const next = numbers(seed);
	const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
	const state = new Map<string, StoredResource>();
	const add = (kind: KindName, path: readonly string[], given: object): void => {
		const { create, update, writeOnly = [] } = kindOf(kind);
		const schemas = { ...rows.schemaOf(update).properties, ...rows.schemaOf(create ?? update).properties };
		// Each field of the rows, so that a new one is tried without a change here.
		const others = fieldNames(rows, kind)
			.filter((field) => !NAMING.includes(field) && !writeOnly.includes(field) && next() < 0.3)
			.map((field) => [field, exampleOf(schemas[field] as Schema<unknown>)]);
		const fields = { ...Object.fromEntries(others), ...given } as StoredResource["fields"];
		state.set(keyOf(path), { kind, path, fields, ids: {}, kept: {} });
	};
	const some = (count: number): number[] =>
		Array.from({ length: Math.floor(next() * count) }, (_, index) => index);
	for (const index of some(4))
		add("group", ["groups", `${pick(TEXTS).trim()} ${index}.x`], { description: pick(TEXTS).trim() });
	for (const index of some(5)) {
		const path = ["applications", `app-${index}`];
		add("application", path, {
			name: `App ${index}`,
			description: pick(TEXTS).trim(),
			access_policy: pick(["open", "assigned"]),
			status: pick(["active", "disabled"]),
			require_mfa: pick([true, false]),
			redirect_uris: some(3).map((each) => `https://app.example/${each}`),
		});
		for (const role of some(3))
			add("role", [...path, "roles", `role-${role}`], {
				description: pick(TEXTS).trim(),
				permissions: pick([[], ["*"], ["a:b", "a:c"]]),
			});
		const type = pick(["web", "spa", "native", "service"]);
		if (next() < 0.7)
			add("oauth_client", [...path, "oauth_client"], {
				type,
				first_party: pick([true, false]),
				pkce: "required",
			});
		if (next() < 0.5)
			add("gate", [...path, "gate"], {
				rules: [{ path: "/*", needs: pick(["public", "signed-in"]) }],
				statement: pick([true, false]),
			});
	}
	for (const index of some(3))
		add("webhook", ["webhooks", `https://hooks.example/${index}`], {
			event_types: ["user.created"],
			status: pick(["active", "disabled"]),
		});
	if (next() < 0.5)
		add("branding", ["branding"], { product_name: pick(["Looms", ""]), corner_radius: pick([null, 4]) });
	if (next() < 0.5) add("tenant", ["tenant"], { require_mfa: pick([true, false]) });
	return state;
}

describe("1,000 random tenants", () => {
	it("have nothing to change against their own export", async () => {
		const checks = new SharedChecks();
		let resources = 0;
		for (let seed = 1; seed <= 1_000; seed++) {
			const state = randomState(seed);
			resources += state.size;
			const document = await writeDocument(state, "https://auth.example");
			const parsed = await parseDocument(rows, document, checks).catch((error: Error) => {
				throw new Error(`seed ${seed}: ${error.message}\n${document}`);
			});
			const { changes, kept } = planChanges(state, parsed.resources, "all");
			assert.deepEqual([changes, kept], [[], []], `seed ${seed}\n${document}`);
		}
		assert.ok(resources > 5_000, String(resources));
	});
});

/** A change of each kind, and its row with a body that the row accepts from those whom it admits. */
const CHANGES: Readonly<Record<KindName, string>> = {
	group: "groups: {Guarded: {description: new}}",
	identity_provider:
		"identity_providers: {guarded: {kind: google, display_name: G, client_id: a, client_secret: b}}",
	application: "applications: {guarded: {name: New}}",
	role: "applications: {guarded: {name: Guarded, roles: {r: {}}}}",
	oauth_client: "applications: {guarded: {name: Guarded, oauth_client: {type: spa}}}",
	gate: "applications: {guarded: {name: Guarded, gate: {rules: []}}}",
	grant: "applications: {guarded: {name: Guarded, grants: {Guarded: []}}}",
	manager: "applications: {guarded: {name: Guarded, managers: [plain]}}",
	webhook: "webhooks: {https://hooks.example/guarded: {event_types: [user.created]}}",
	branding: "branding: {product_name: Guarded}",
	tenant: "tenant: {test_clients: true}",
};

describe("the guard of every row of the file", () => {
	it("decides about a file as it does about the row alone", async () => {
		const admin = cast.admin;
		const base = "groups: {Guarded: {}}\napplications: {guarded: {name: Guarded}}\n";
		await service.call("POST", "/api/v1/config/apply", { token: admin, body: { document: base } });
		const { key } = await addAdminKey(service, { roles: ["admin"] });
		const platformKey = (await addAdminKey(service, { roles: ["admin", "platform_admin"] })).key;
		const callers = {
			admin,
			key,
			platformKey,
			other: cast.other.adminToken,
			auditor: cast.auditor.token,
			reviewer: cast.reviewer.token,
		};
		let refusals = 0;
		for (const name of NAMES)
			for (const [caller, token] of Object.entries(callers)) {
				if (caller === "other" && name !== "tenant" && name !== "group") continue;
				const { create, update } = kindOf(name);
				const isCreated = !["group", "application", "branding", "tenant"].includes(name);
				const row = isCreated && create !== undefined ? create : update;
				const [method = "", path = ""] = row.split(" ");
				const alone = await service.call<unknown>(
					method as "POST",
					path.replaceAll(/\{\w+\}/g, "01900000-0000-7000-8000-000000000000"),
					{ token, body: {} },
				);
				const { status, body } = await service.call("POST", "/api/v1/config/plan", {
					token,
					body: { document: CHANGES[name], people: name === "manager" },
				});
				const isRefused = status === 403 || body.data.not_permitted.length > 0;
				assert.equal(
					isRefused,
					alone.status === 403,
					`${name} as ${caller}: file ${status} ${JSON.stringify(body)}, ${row} ${alone.status}`,
				);
				if (isRefused) refusals++;
			}
		assert.ok(refusals >= 2 * NAMES.length + 3, String(refusals));
	});
});

const FOLDER = join(import.meta.dirname, "../examples");
const example = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

describe("the examples", () => {
	for (const name of readdirSync(FOLDER))
		it(`${name} applies to an empty tenant, and then changes nothing`, async () => {
			const { adminToken: token } = await addSecondTenant(service);
			const document = example(name).replace(/^tenant:\n.*\n?/m, "");
			const call = (path: "plan" | "apply") =>
				service.call("POST", `/api/v1/config/${path}`, { token, body: { document } });
			const applied = await call("apply");
			assert.equal(applied.status, 200, JSON.stringify(applied.body));
			assert.equal((applied.body as { data: { stopped?: unknown } }).data.stopped, undefined);
			const planned = (await call("plan")).body as { data: { changes: unknown[] } };
			assert.deepEqual(planned.data.changes, []);
		});

	it("platform.yaml: a person who signs in passes by a group, a partner by a signed request", async () => {
		const token = cast.admin;
		const document = example("platform.yaml");
		const applied = await service.call("POST", "/api/v1/config/apply", { token, body: { document } });
		assert.equal(applied.status, 200, JSON.stringify(applied.body));
		const gateKey =
			applied.body.data.secrets.find(({ place }) => place === "applications.orders.gate")?.secret ?? "";
		const [orders] = (await service.call("GET", "/api/v1/applications?q=orders", { token })).body.data;
		assert.ok(orders);
		const gate = { application_id: orders.id, gate_key: gateKey };
		assert.equal((await ask(service, gate, "/status")).status, 200);
		assert.equal((await ask(service, gate, "/orders")).status, 401);

		const client = await addApiClient(service, { app_id: orders.id });
		const signed = async () =>
			(await ask(service, gate, "/orders", { headers: signedCall(service, client, "/orders") })).outcome;
		assert.match(await signed(), /^403 /);
		await service.asAdmin("PUT", `/api/v1/applications/${orders.id}/grants/api-clients/${client.id}`, {
			roles: ["buyer"],
		});
		assert.match(await signed(), /^200 partner:/);

		const person = await addPerson(service, "operator");
		const withCookie = async () => {
			const cookie = await browserCookie(service, person);
			return (await ask(service, gate, "/orders", { headers: { cookie } })).outcome;
		};
		assert.match(await withCookie(), /^403 /);
		const [group] = (await service.call("GET", "/api/v1/groups?q=Operations", { token })).body.data;
		await service.asAdmin("PUT", `/api/v1/groups/${group?.id}/members/${person.id}`, {});
		assert.match(await withCookie(), /^200 person:/);
	});
});
