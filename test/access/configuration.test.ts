// Configuration as code beside other work: large files, a database that fails midway, and marked records.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { takeTurn } from "../../src/features/access/configuration/configure.ts";
import { problemOf } from "../harness/access/applications.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { runCommand } from "../harness/processes/command.ts";
import { longestBusyMs } from "../harness/runs/busy.ts";
import { testService } from "../harness/runs/fixture.ts";
import { ADMIN } from "../harness/service/service.ts";
import { commandSettings } from "../harness/service/service-database.ts";

const service = testService();

const PLAN = "/api/v1/config/plan";
const APPLY = "/api/v1/config/apply";
const SIGN_IN_MAX_MS = 1_000;

const emptyTenant = async () => (await addSecondTenant(service)).adminToken;
const exported = async (token: string): Promise<string> =>
	(await service.call("POST", "/api/v1/config/export", { token })).body.data.document;

/** No sign-in waits for the work longer than `SIGN_IN_MAX_MS`. */
async function signInsPass(work: () => Promise<unknown>): Promise<void> {
	const { longestMs } = await longestBusyMs(async () => {
		assert.equal((await service.call("POST", "/api/v1/auth/login", { body: ADMIN })).status, 200);
	}, work());
	assert.ok(longestMs < SIGN_IN_MAX_MS, `a sign-in waited ${longestMs} ms`);
}

function filled(start: string, part: (index: number) => string, end = ""): string {
	const parts = [start];
	for (let length = start.length, index = 0; length < 1_040_000; index++) {
		parts.push(part(index));
		length += (parts.at(-1) as string).length;
	}
	return parts.join("") + end;
}

describe("a file of 1 MiB", () => {
	const FILES: readonly (readonly [what: string, document: string, message: RegExp])[] = [
		["short keys", filled("groups: {", (index) => `g${index}: {},`, "}"), /more than 100000 keys and values/],
		[
			"one key a line",
			filled("groups:\n", (index) => `  Group number ${index}: {}\n`),
			/more than 1000 changes/,
		],
		["keys that occur twice", filled("groups:\n", () => "  Group number one: {}\n"), /twice \(line 3\)/],
	];
	for (const [what, document, message] of FILES)
		it(`with ${what} is refused with its reason, and no sign-in waits for longer than a second`, async () => {
			const token = await emptyTenant();
			await signInsPass(async () => {
				const { status, body } = await service.call("POST", PLAN, { token, body: { document } });
				assert.equal(status, 400);
				assert.match(JSON.stringify(body), message);
			});
		});

	it("may describe more resources than it changes", async () => {
		const token = await emptyTenant();
		const groups = (from: number, to: number): string =>
			Array.from({ length: to - from }, (_, index) => `  Group ${from + index}: {}\n`).join("");
		for (const from of [0, 900])
			assert.equal(
				(
					await service.call("POST", APPLY, {
						token,
						body: { document: `groups:\n${groups(from, from + 900)}` },
					})
				).status,
				200,
			);
		const document = `groups:\n${groups(0, 1_801)}`;
		const { body } = await service.call("POST", PLAN, { token, body: { document } });
		assert.deepEqual(
			body.data.changes.map(({ place }) => place),
			["groups.Group 1800"],
		);
	});
});

describe("a plan of 200 new applications", () => {
	it("lets no sign-in wait for longer than a second", async () => {
		const applications = Array.from(
			{ length: 200 },
			(_, index) => `  app-${index}:
    name: Application ${index}
    roles: {reader: {permissions: ["orders:read"]}}
    oauth_client: {type: web}
    gate: {rules: [{path: /orders, needs: "orders:read"}]}
`,
		).join("");
		const token = await emptyTenant();
		const body = { document: `applications:\n${applications}` };
		await signInsPass(async () => {
			const planned = await service.call("POST", PLAN, { token, body });
			assert.equal(planned.body.data.changes.length, 800);
		});
	});
});

describe("an apply whose database fails midway", () => {
	const WEBHOOK_FAILS =
		"EXISTS (SELECT 1 FROM audit_events WHERE tenant_id = NEW.tenant_id AND action = 'gate.created')";
	/** From the change after the gate on; the plan, which writes no events, passes. */
	async function failing<T>(work: () => Promise<T>): Promise<T> {
		const database = await service.openDatabase();
		const run = (sql: string): Promise<void> =>
			database.transaction((queries) => database.script(queries, sql));
		const isEmbedded = TEST_ENGINE === "sqlite";
		const sql = isEmbedded
			? `CREATE TRIGGER fails BEFORE INSERT ON webhooks WHEN ${WEBHOOK_FAILS} BEGIN SELECT RAISE(ABORT, 'full'); END`
			: `CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN IF ${WEBHOOK_FAILS} THEN
				RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END IF; RETURN NEW; END $body$;
				CREATE TRIGGER fails BEFORE INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION fails()`;
		try {
			await run(sql);
			return await work();
		} finally {
			await run(isEmbedded ? "DROP TRIGGER fails" : "DROP TRIGGER fails ON webhooks; DROP FUNCTION fails()");
			await database.close();
		}
	}

	const document = (more = ""): string => `applications:
  shop:
    name: Shop
    gate:
      rules: [{path: /status, needs: public}]${more}
webhooks:
  https://hooks.example/in:
    event_types: [user.created]
`;

	it("returns what it wrote, with its secrets and the error; repeated, it makes the rest", async () => {
		const token = await emptyTenant();
		const body = { document: document() };
		const { status, body: applied } = await failing(() => service.call("POST", APPLY, { token, body }));
		assert.equal(status, 200, JSON.stringify(applied));
		const { changes, secrets, stopped } = applied.data;
		assert.deepEqual(
			[changes.map(({ place }) => place), secrets.map(({ place }) => place), stopped?.place],
			[
				["applications.shop", "applications.shop.gate"],
				["applications.shop.gate"],
				"webhooks.https://hooks.example/in",
			],
		);
		assert.match(secrets[0]?.secret ?? "", /^gk_/);
		assert.equal(stopped?.code, TEST_ENGINE === "sqlite" ? "server.internal" : "service.unavailable");
		const { data } = (await service.call("GET", "/api/v1/audit-events?action=config.applied", { token }))
			.body;
		assert.deepEqual(
			data.map(({ details }) => details.created),
			[2],
		);
		const again = (await service.call("POST", APPLY, { token, body })).body.data;
		assert.deepEqual([again.changes.length, again.stopped], [1, undefined]);
	});

	it("leaves the secret in its secret_file, and fails", async () => {
		const { slug } = await addSecondTenant(service);
		const env = await commandSettings(service.dataDir);
		const folder = mkdtempSync(join(tmpdir(), "latchkey-config-"));
		try {
			const file = join(folder, "latchkey.yaml");
			writeFileSync(file, `${document("\n      secret_file: gate-key")}    secret_file: webhook-secret\n`);
			const args = ["config", "apply", file, "--tenant", slug];
			const run = () => runCommand(args, { env });
			const { code, stderr } = await failing(run);
			assert.equal(code, 1);
			assert.match(stderr, /stopped at webhooks.*the changes before it were applied/);
			assert.match(readFileSync(join(folder, "gate-key"), "utf8"), /^gk_[A-Za-z0-9_-]{43}\n$/);
			assert.throws(() => readFileSync(join(folder, "webhook-secret")), /ENOENT/);
			const again = await run();
			assert.equal(again.code, 0, again.stderr);
			assert.match(readFileSync(join(folder, "webhook-secret"), "utf8"), /^whsec_/);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});

describe("records of an applied file", () => {
	it("are marked, until the file no longer has them", async () => {
		const token = await emptyTenant();
		const apply = async (document: string) => {
			const { status, body } = await service.call("POST", APPLY, { token, body: { document } });
			assert.equal(status, 200, JSON.stringify(body));
			return body.data;
		};
		const marks = async () => {
			const read = async (path: string, key: string) =>
				(await service.call<{ data: Record<string, string>[] }>("GET", path, { token })).body.data.map(
					(each) => [each[key], each.managed_by],
				);
			return Object.fromEntries([
				...(await read("/api/v1/groups", "name")),
				...(await read("/api/v1/applications", "slug")),
				...(await read("/api/v1/webhooks", "description")),
			]);
		};
		await service.call("POST", "/api/v1/groups", { token, body: { name: "By hand" } });
		const file = `groups: {Managed: {}, Former: {}}
applications: {shop: {name: Shop}}
webhooks: {"https://hooks.example/in": {event_types: [user.created], description: hook}}
`;
		await apply(file);
		const managed = "configuration";
		assert.deepEqual(await marks(), {
			"By hand": null,
			Managed: managed,
			Former: managed,
			shop: managed,
			hook: managed,
		});
		const fewer = await apply(file.replace(", Former: {}", ""));
		assert.deepEqual(fewer.changes, []);
		assert.equal((await marks()).Former, null);
		const { data } = (await service.call("GET", "/api/v1/audit-events?action=config.applied", { token }))
			.body;
		assert.deepEqual(
			data.map(({ details }) => details.created),
			[0, 4],
		);
		await apply(file.replace(", Former: {}", ""));
		const { total } = (await service.call("GET", "/api/v1/audit-events?action=config.applied", { token }))
			.body;
		assert.equal(total, 2, "an apply that changes nothing is not recorded");
	});

	it("include the branding and the switches of the tenant", async () => {
		const { id, adminToken: token } = await addSecondTenant(service);
		const marks = async () => {
			const exported = await service.call("POST", "/api/v1/config/export", {
				token,
				body: { section: "branding" },
			});
			const { body } = await service.callAsAdmin("GET", `/api/v1/tenants/${id}`);
			return [exported.body.data.branding_managed_by, body.data.managed_by];
		};
		const apply = async (document: string) => {
			const { status, body } = await service.call("POST", APPLY, { token, body: { document } });
			assert.equal(status, 200, JSON.stringify(body));
		};
		assert.deepEqual(await marks(), [null, null]);
		await apply("branding: {product_name: Looms}\n");
		assert.deepEqual(await marks(), ["configuration", null]);
		await apply("branding: {}\ntenant: {}\n");
		assert.deepEqual(await marks(), ["configuration", "configuration"]);
		await apply("tenant: {}\n");
		assert.deepEqual(await marks(), [null, "configuration"]);
	});

	it("are exported as a change would leave them, without the change", async () => {
		const token = await emptyTenant();
		const document = `applications:
  shop:
    name: Shop
    requestable: {roles: [clerk], longest: P7D, reviewers: Crew}
    roles: {clerk: {permissions: ["orders:read"]}}
  wiki: {name: Wiki}
groups: {Crew: {}}
webhooks: {"https://hooks.example/in": {event_types: [user.created]}}
`;
		await service.call("POST", APPLY, { token, body: { document } });
		const idOf = async (path: string): Promise<string> =>
			(await service.call<{ data: { id: string }[] }>("GET", path, { token })).body.data[0]?.id ?? "";
		const shop = await idOf("/api/v1/applications?q=shop");
		const role = await idOf(`/api/v1/applications/${shop}/roles`);
		const hook = await idOf("/api/v1/webhooks");
		const { data: me } = (await service.call("GET", "/api/v1/users/me", { token })).body;
		const preview = (section: string, operation: string, path: object, body?: object) =>
			service.call("POST", "/api/v1/config/export", {
				token,
				body: { section, change: { operation, path, ...(body && { body }) } },
				headers: { accept: "application/problem+json" },
			});
		const after = async (...args: Parameters<typeof preview>): Promise<string> => {
			const { status, body } = await preview(...args);
			assert.equal(status, 200, JSON.stringify(body));
			return body.data.document.split("\n").slice(1).join("\n");
		};
		const before = await exported(token);
		const application = "/applications/{id}";
		const start = "applications:\n  shop:\n";
		assert.equal(
			await after(
				"applications",
				`PATCH ${application}`,
				{ id: shop },
				{ requestable: null, require_mfa: true },
			),
			`${start}    name: Shop\n    require_mfa: true\n    roles:\n      clerk:\n        permissions:\n          - orders:read\n`,
		);
		assert.match(
			await after(
				"applications",
				`PATCH ${application}/roles/{role_id}`,
				{ id: shop, role_id: role },
				{ permissions: ["*"] },
			),
			/reviewers: Crew[\s\S]*permissions:\n {10}- "\*"\n$/,
		);
		assert.match(
			await after("applications", `PUT ${application}/oauth-client`, { id: shop }, { type: "spa" }),
			/oauth_client:\n {6}type: spa\n/,
		);
		assert.equal(await after("webhooks", "DELETE /webhooks/{id}", { id: hook }), "");
		assert.equal(
			await after("branding", "PUT /branding", {}, { product_name: "Looms" }),
			"branding:\n  product_name: Looms\n",
		);
		assert.equal(await exported(token), before);
		for (const [refused, field, message] of [
			[
				await preview("applications", `PATCH ${application}`, { id: shop }, { access_policy: "closed" }),
				"change",
				/open, assigned/,
			],
			[
				await preview("groups", "PATCH /groups/{id}", { id: shop }, { name: "Other" }),
				"change",
				/no such group/,
			],
			[
				await service.callAsAdmin("POST", "/api/v1/config/export", {
					body: {
						section: "tenant",
						change: {
							operation: "PATCH /tenants/{id}",
							path: { id: me.tenant_id },
							body: { require_mfa: true },
						},
					},
					headers: { accept: "application/problem+json" },
				}),
				"change.path.id",
				/own tenant/,
			],
			// Those of a tenant are for platform admins.
			[
				await preview("tenant", "PATCH /tenants/{id}", { id: me.tenant_id }, { require_mfa: true }),
				"change",
				/platform_admin/,
			],
			[await preview("groups", "PATCH /groups/{id}", {}, {}), "change.path.id", /required/],
		] as const) {
			assert.equal(refused.status, 400);
			const [error] = (refused.body as unknown as { errors: { field: string; message: string }[] }).errors;
			assert.equal(error?.field, field);
			assert.match(error?.message ?? "", message);
		}
	});

	it("are exported alone, as the export writes them", async () => {
		const token = await emptyTenant();
		const file = `applications:
  shop:
    name: Shop
    roles:
      clerk: {}
  wiki:
    name: Wiki
groups:
  Staff: {}
`;
		await service.call("POST", APPLY, { token, body: { document: file } });
		const part = async (body: object) => {
			const exported = await service.call("POST", "/api/v1/config/export", { token, body });
			assert.equal(exported.status, 200, JSON.stringify(exported.body));
			const [, ...lines] = exported.body.data.document.split("\n");
			return lines.join("\n");
		};
		assert.equal(await part({}), file);
		assert.equal(
			await part({ section: "applications", name: "shop" }),
			"applications:\n  shop:\n    name: Shop\n    roles:\n      clerk: {}\n",
		);
		assert.equal(await part({ section: "groups" }), "groups:\n  Staff: {}\n");
		assert.equal(await part({ section: "groups", name: "Crew" }), "");
		const { status, fields } = await problemOf(service, "POST", "/api/v1/config/export", { name: "shop" });
		assert.deepEqual([status, fields], [400, ["section"]]);
	});
});

describe("a preview of a change", () => {
	const preview = async (section: string, operation: string, change: object) =>
		service.callAsAdmin("POST", "/api/v1/config/export", {
			body: { section, change: { operation, ...change } },
		});

	it("may be as long as a body of the route that makes it", async () => {
		const { status } = await preview("branding", "PUT /branding", { body: { name: "a".repeat(65_000) } });
		assert.equal(status, 400);
	});

	it("waits with at most 20 others", async () => {
		const ends = Array.from({ length: 21 }, () => takeTurn());
		try {
			const { status, body } = await preview("branding", "PUT /branding", { body: {} });
			assert.deepEqual([status, body.error], [503, "too many plans at the moment, try again shortly"]);
		} finally {
			for (const end of ends) (await end)();
		}
		assert.equal((await preview("branding", "PUT /branding", { body: {} })).status, 200);
	});

	it("calls no issuer", async () => {
		const { id } = await service.asAdmin("POST", "/api/v1/identity-providers", {
			provider: "partner",
			kind: "oidc",
			display_name: "Partner",
			issuer: "https://partner.example",
			client_id: "a",
			client_secret: "b",
			force: true,
		});
		const change = { path: { id }, body: { issuer: "https://moved.example" } };
		const { status, body } = await preview("identity_providers", "PATCH /identity-providers/{id}", change);
		assert.equal(status, 200, JSON.stringify(body));
		assert.match(body.data.document, /https:\/\/moved\.example/);
	});
});

describe("managers of applications", () => {
	it("are in the file only with people, by username", async () => {
		const token = await service.adminToken();
		const ana = await addPerson(service, "ana");
		const config = async (action: string, body: object, by = token) =>
			await service.call<{ data: Record<string, unknown> }>("POST", `/api/v1/config/${action}`, {
				token: by,
				body,
			});
		const document = (managers: string): string =>
			`applications:\n  managed:\n    managers: ${managers}\n    name: Managed\n`;
		const refused = await problemOf(service, "POST", PLAN, { document: document("[ana]") });
		assert.deepEqual([refused.status, refused.fields], [400, ["applications.managed.managers"]]);
		const unknown = await problemOf(service, "POST", PLAN, { document: document("[nobody]"), people: true });
		assert.deepEqual([unknown.status, unknown.fields], [400, ["applications.managed.managers.nobody"]]);

		const { key } = await addAdminKey(service, { roles: ["admin"] });
		const ofKey = await config("plan", { document: document("[ana]"), people: true }, key);
		assert.deepEqual(
			(ofKey.body.data.not_permitted as { place: string; code: string }[]).map(({ place, code }) => [
				place,
				code,
			]),
			[["applications.managed.managers.ana", "admin_key.not_allowed"]],
		);

		const applied = await config("apply", { document: document("[ana]"), people: true });
		assert.equal(applied.body.data.stopped, undefined, JSON.stringify(applied.body));
		const exported = async (people: boolean) =>
			(await config("export", { section: "applications", name: "managed", people })).body.data
				.document as string;
		assert.match(await exported(true), /managers:\n {6}- ana\n/);
		assert.doesNotMatch(await exported(false), /- ana/);
		const again = await config("plan", { document: document("[ana]"), people: true });
		assert.deepEqual(again.body.data.changes, []);

		const kept = await config("plan", { document: document("[]"), people: true });
		assert.deepEqual(
			(kept.body.data.kept as { place: string }[])
				.map(({ place }) => place)
				.filter((place) => place.includes("ana")),
			["applications.managed.managers.ana"],
		);
		const { id } = (await service.call("GET", "/api/v1/applications?q=managed", { token })).body.data[0] ?? {
			id: "",
		};
		await service.asAdmin("DELETE", `/api/v1/applications/${id}/managers/${ana.id}`);
		assert.doesNotMatch(await exported(true), /- ana/);
	});
});
