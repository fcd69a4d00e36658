// Configuration as code: `/config/export`, `/config/plan`, and `/config/apply`.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addCast, problemOf } from "../harness/access/applications.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const service = testService();
const cast = fixture(() => addCast(service));

const EXPORT = "/api/v1/config/export";
const PLAN = "/api/v1/config/plan";
const APPLY = "/api/v1/config/apply";

const HEADER = "# yaml-language-server: $schema=https://localhost:8443/docs/config.schema.json\n";

/** As an export writes it. */
const SHOP = `applications:
  orders:
    access_policy: open
    gate:
      accept:
        - partner
        - person
      rules:
        - needs: public
          path: /status
        - methods:
            - GET
          needs: orders:read
          path: /orders/{id}
        - mfa: true
          needs: signed-in
          path: /*
    grants:
      Clerks:
        - clerk
        - lead
      Everybody: []
    name: Orders
    oauth_client:
      acts_for_people:
        - https://stock.example
      allowed_resources:
        - https://stock.example
      resource: https://orders.example
      type: service
    redirect_uris:
      - https://orders.example/cb
    roles:
      clerk:
        description: Reads
        permissions:
          - orders:list
          - orders:read
      lead:
        permissions:
          - "*"
`;

const REST = `  stock:
    name: Stock
    oauth_client:
      allowed_resources:
        - https://orders.example
      resource: https://stock.example
      type: service
    require_mfa: true
    status: disabled
branding:
  accent_color: "#123456"
  product_name: Looms
groups:
  Clerks:
    description: |-
      At the
      counter
  Everybody: {}
webhooks:
  https://hooks.example/in:
    event_types:
      - grant.created
      - user.*
    status: disabled
`;

/** An administrator of a new tenant. */
async function emptyTenant(): Promise<{ readonly token: string; readonly slug: string }> {
	const { adminToken: token, slug } = await addSecondTenant(service);
	return { token, slug };
}

function planned<Body extends { readonly data: unknown }>({
	status,
	body,
}: {
	readonly status: number;
	readonly body: Body;
}): Body["data"] {
	assert.equal(status, 200, JSON.stringify(body));
	return body.data;
}
const plan = async (token: string, document: string, prune?: "unused" | "all") =>
	planned(await service.call("POST", PLAN, { token, body: { document, prune } }));
const exported = async (token: string): Promise<string> =>
	(await service.call("POST", EXPORT, { token })).body.data.document;
const apply = (token: string, document: string, more: object = {}) =>
	service.call("POST", APPLY, { token, body: { document, ...more } });

describe("POST /api/v1/config/export", () => {
	describe("200", () => {
		it("returns the file that was applied, byte for byte", async () => {
			const { token } = await emptyTenant();
			assert.equal(await exported(token), HEADER);
			const { status, body } = await apply(token, SHOP + REST);
			assert.equal(status, 200, JSON.stringify(body));
			assert.equal(body.data.stopped, undefined);
			assert.equal(await exported(token), HEADER + SHOP + REST);
			const again = await apply(token, SHOP + REST);
			assert.deepEqual([again.body.data.changes, again.body.data.secrets], [[], []]);
		});

		it("has what people may request, with the names of roles and reviewers", async () => {
			const { token } = await emptyTenant();
			const file = `${HEADER}applications:
  wiki:
    name: Wiki
    requestable:
      longest: P30D
      reviewers: Owners
      roles:
        - editor
    roles:
      editor: {}
groups:
  Owners: {}
`;
			const { body } = await apply(token, file);
			assert.equal(body.data.stopped, undefined);
			assert.equal(await exported(token), file);
			const without = await apply(token, file.replace(/ {4}requestable:[\s\S]*- editor\n/, ""));
			assert.equal(without.body.data.stopped, undefined);
			const again = await apply(token, file);
			assert.equal(again.body.data.changes.length, 1);
			assert.equal(await exported(token), file);
		});

		it("has no applications of partners", async () => {
			const document = await exported(cast.admin);
			assert.doesNotMatch(document, /access_request|tenant_id|created_at/);
		});
	});
});

describe("POST /api/v1/config/plan", () => {
	describe("200", () => {
		it("names what a click changed, with the old and the new value, and changes nothing", async () => {
			const { token } = await emptyTenant();
			await apply(token, SHOP + REST);
			const [orders] = (await service.call("GET", "/api/v1/applications?q=orders", { token })).body.data;
			assert.ok(orders);
			await service.call("PATCH", `/api/v1/applications/${orders.id}`, {
				token,
				body: { require_mfa: true },
			});
			await service.call("POST", "/api/v1/groups", { token, body: { name: "By hand" } });
			const before = await exported(token);
			const { changes, kept } = await plan(token, SHOP + REST);
			assert.deepEqual(changes, [
				{
					sign: "~",
					kind: "application",
					place: "applications.orders",
					fields: [{ field: "require_mfa", from: true, to: false }],
				},
			]);
			assert.deepEqual(kept, [{ kind: "group", place: "groups.By hand" }]);
			assert.equal(await exported(token), before);
		});

		it("appends no audit event, and queues no delivery", async () => {
			const { token } = await emptyTenant();
			const total = async () => (await service.call("GET", "/api/v1/audit-events", { token })).body.total;
			const before = await total();
			const { changes } = await plan(token, SHOP + REST);
			assert.equal(changes.length, 13);
			assert.equal(changes.filter(({ makes_secret: makes }) => makes).length, 4);
			assert.equal(await total(), before);
		});

		it("keeps an application with API clients unless it prunes all", async () => {
			const { token } = await emptyTenant();
			await apply(
				token,
				"applications:\n  used: {name: Used}\n  unused: {name: Unused}\ngroups:\n  Old: {}\n",
			);
			const [used] = (await service.call("GET", "/api/v1/applications?q=Used", { token })).body.data.filter(
				({ slug }) => slug === "used",
			);
			await service.call("POST", "/api/v1/api-clients", {
				token,
				body: { name: "Partner", app_id: used?.id },
			});
			const unused = await plan(token, "# nothing\n", "unused");
			assert.deepEqual(
				unused.changes.map(({ sign, place }) => [sign, place]),
				[
					["-", "applications.unused"],
					["-", "groups.Old"],
				],
			);
			assert.deepEqual(unused.kept, [
				{ kind: "application", place: "applications.used", in_use: "api_clients" },
			]);
			const all = await plan(token, "# nothing\n", "all");
			assert.equal(all.changes.length, 3);
			const { body } = await apply(token, "# nothing\n", { prune: "unused" });
			assert.equal(body.data.changes.length, 2);
			assert.equal(await exported(token), `${HEADER}applications:\n  used:\n    name: Used\n`);
		});

		it("keeps a group that a grant or reviewers in the file name", async () => {
			const { token } = await emptyTenant();
			const use =
				"applications:\n  a:\n    name: A\n    grants: {Staff: []}\n    requestable: {roles: [], longest: P1D, reviewers: Chiefs}\n";
			await apply(token, `groups: {Staff: {}, Chiefs: {}, Old: {}}\n${use}`);
			const { changes, kept } = await plan(token, use, "all");
			assert.deepEqual(
				changes.map(({ place }) => place),
				["groups.Old"],
			);
			assert.deepEqual(kept.map(({ place }) => place).sort(), ["groups.Chiefs", "groups.Staff"]);
		});

		it("renames an application, which keeps its client", async () => {
			const { token } = await emptyTenant();
			await apply(token, "applications:\n  old:\n    name: App\n    oauth_client: {type: spa}\n");
			const document =
				"applications:\n  new:\n    renamed_from: old\n    name: App\n    oauth_client: {type: spa}\n";
			const { changes } = await plan(token, document, "unused");
			assert.deepEqual(
				changes.map(({ sign, place, fields }) => [sign, place, fields]),
				[["~", "applications.new", [{ field: "slug", from: "old", to: "new" }]]],
			);
			const without = await plan(token, document.replace("    renamed_from: old\n", ""), "unused");
			assert.match(without.changes.find(({ sign }) => sign === "-")?.note ?? "", /new client_id/);
			const { body } = await apply(token, document);
			assert.equal(body.data.stopped, undefined);
			const again = await service.call("POST", PLAN, { token, body: { document } });
			assert.equal(again.status, 400);
			assert.match(JSON.stringify(again.body), /applications\.new\.renamed_from is no longer true.*line 3/);
		});
	});

	describe("400", () => {
		const BAD: readonly (readonly [document: string, field: string, message: RegExp])[] = [
			[
				"applications:\n  a:\n    name: A\n    acess_policy: open\n",
				"applications.a.acess_policy",
				/did you mean access_policy\? \(line 4\)/,
			],
			["groups:\n  A: {}\n  A: {}\n", "document", /has the key A twice \(line 3\)/],
			["groups:\n  A: &a {}\n", "document", /an anchor \(line 2\)/],
			["groups:\n  A: {}\n  B: *a\n", "document", /\(line 3\)/],
			["groups:\n  A: !!map {}\n", "document", /a tag \(line 2\)/],
			["groups:\n  <<: {A: {}}\n", "document", /a merge key \(line 2\)/],
			["groups:\n  __proto__: {}\n", "document", /__proto__ \(line 2\)/],
			["groups:\n  A: [\n", "document", /not accepted as YAML.*\(line \d\)/],
			[
				"groups:\n  A:\n    description: $" + "{env:X}\n",
				"groups.A.description",
				/command replaces them.*\(line 3\)/,
			],
			[
				"applications:\n  a:\n    name: A\n    gate:\n      rules: []\n      secret_file: x\n",
				"applications.a.gate.secret_file",
				/\(line 6\)/,
			],
			[
				"applications:\n  a:\n    name: A\n    access_policy: closed\n",
				"applications.a.access_policy",
				/one of open, assigned \(line 4\)/,
			],
			[
				"applications:\n  a:\n    name: A\n    gate:\n      rules: [{path: /x, needs: a:b}]\n",
				"applications.a.gate.rules.0.needs",
				/held by no role.*\(line 5\)/,
			],
			[
				"applications:\n  a:\n    name: A\n    grants: {Nobody: []}\n",
				"applications.a.grants.Nobody",
				/group that does not exist.*\(line 4\)/,
			],
			[
				"applications:\n  a:\n    name: A\n    redirect_uris: [http://a.example]\n",
				"applications.a.redirect_uris.0",
				/https.*\(line 4\)/,
			],
			[
				"applications:\n  a:\n    oauth_client: {type: web}\n",
				"applications.a.name",
				/is required \(line 2\)/,
			],
			["- a\n", "", /type object/],
			["groups:\n  $" + "{env:X}: {}\n", "document", /in a key \(line 2\)/],
			["groups:\n  ' A ': {}\n", "groups. A ", /stored: A \(line 2\)/],
			[
				"webhooks:\n  https://A.example: {event_types: [user.created]}\n",
				"webhooks.https://A.example",
				/stored: https:\/\/a\.example\/ \(line 2\)/,
			],
			[
				'applications:\n  a: {name: A, gate: {rules: []}}\n  "a\\ngate": {name: B}\n',
				"applications.a\ngate.slug",
				/must not contain U\+000A.*\(line 3\)/,
			],
		];
		for (const [document, field, message] of BAD)
			it(`names field and line: ${JSON.stringify(document).slice(0, 60)}`, async () => {
				const problem = await problemOf(service, "POST", PLAN, { document });
				assert.deepEqual([problem.status, problem.code, problem.fields[0]], [400, "request.invalid", field]);
				assert.match(problem.messages[0] ?? "", message);
			});

		it("keeps a permission that a rule of the gate needs, also beside a role with *", async () => {
			const { token } = await emptyTenant();
			await apply(token, SHOP + REST);
			const document = (SHOP + REST).replace("          - orders:read\n      lead", "      lead");
			assert.notEqual(document, SHOP + REST);
			const { status, body } = await service.call("POST", PLAN, { token, body: { document } });
			assert.equal(status, 400);
			assert.match(JSON.stringify(body), /applications\.orders\.roles\.clerk must keep orders:read/);
		});

		it("refuses more than 1,000 changes", async () => {
			const groups = Array.from({ length: 1_001 }, (_, index) => `  G${index}: {}\n`).join("");
			const problem = await problemOf(service, "POST", PLAN, { document: `groups:\n${groups}` });
			assert.match(problem.messages[0] ?? "", /more than 1000 changes/);
		});
	});

	describe("413", () => {
		it("refuses a body of more than 2 MiB", async () => {
			const document = "#".repeat(2_200_000);
			const { status } = await service.callAsAdmin("POST", PLAN, { body: { document } });
			assert.equal(status, 413);
		});
	});
});

describe("POST /api/v1/config/apply", () => {
	describe("200", () => {
		it("returns each made secret once, and records the counts", async () => {
			const { token } = await emptyTenant();
			const { body } = await apply(token, SHOP + REST);
			assert.deepEqual(
				body.data.secrets.map(({ place, secret }) => [place, secret.slice(0, 3)]),
				[
					["applications.orders.oauth_client", "ocs"],
					["applications.stock.oauth_client", "ocs"],
					["applications.orders.gate", "gk_"],
					["webhooks.https://hooks.example/in", "whs"],
				],
			);
			const { data } = (await service.call("GET", "/api/v1/audit-events?action=config.applied", { token }))
				.body;
			assert.deepEqual(
				data.map(({ details }) => [details.created, details.changed, details.removed]),
				[[12, 1, 0]],
			);
		});

		it("makes the rest of what was interrupted", async () => {
			const { token } = await emptyTenant();
			await apply(token, SHOP.replace(/ {4}gate:[\s\S]*/, "    name: Orders\n"));
			const { body } = await apply(token, SHOP + REST);
			assert.equal(body.data.stopped, undefined);
			assert.equal(await exported(token), HEADER + SHOP + REST);
		});
	});

	describe("200", () => {
		it("stops at a resource that changed meanwhile, and lists what was applied", async () => {
			const { token } = await emptyTenant();
			const groups = (description: string): string =>
				`groups:\n${Array.from({ length: 150 }, (_, index) => `  G${index}: {description: ${description}}\n`).join("")}`;
			await apply(token, groups("before"));
			const [last] = (await service.call("GET", "/api/v1/groups?q=G149", { token })).body.data;
			const [first] = (await service.call("GET", "/api/v1/groups?q=G0", { token })).body.data;
			const applying = apply(token, groups("after"));
			for (let isBegun = false; !isBegun; ) {
				const { body } = await service.call("GET", `/api/v1/groups/${first?.id}`, { token });
				isBegun = body.data.description === "after";
			}
			await service.call("PATCH", `/api/v1/groups/${last?.id}`, { token, body: { description: "by hand" } });
			const { status, body } = await applying;
			assert.equal(status, 200);
			assert.deepEqual(
				[body.data.stopped?.place, body.data.stopped?.code],
				["groups.G149", "config.changed"],
			);
			assert.equal(body.data.changes.length, 149);
			assert.match(await exported(token), /G149:\n {4}description: by hand/);
		});
	});

	describe("409", () => {
		it("writes nothing if the configuration changed since the plan", async () => {
			const { token } = await emptyTenant();
			const { digest } = await plan(token, SHOP + REST);
			await service.call("POST", "/api/v1/groups", { token, body: { name: "By hand" } });
			const before = await exported(token);
			const refused = await service.call("POST", APPLY, {
				token,
				body: { document: SHOP + REST, expect: digest },
				headers: { accept: "application/problem+json" },
			});
			assert.equal(refused.status, 409);
			assert.equal((refused.body as unknown as { code: string }).code, "config.changed");
			assert.equal(await exported(token), before);
		});
	});

	describe("403", () => {
		const PROVIDER =
			"groups:\n  New: {}\nidentity_providers:\n  google: {kind: google, display_name: G, client_id: a, client_secret: b}\n";

		it("lets an admin key make no change that the route refuses to it, and then writes nothing", async () => {
			const { key } = await addAdminKey(service, { roles: ["admin"] });
			for (const document of [
				PROVIDER,
				"tenant: {require_mfa: true}\n",
				"branding: {sender_address: no-reply+shop@localhost}\n",
			]) {
				const planned = await plan(key, document);
				assert.ok(planned.not_permitted.length > 0, document);
				const refused = await service.call("POST", APPLY, {
					token: key,
					body: { document },
					headers: { accept: "application/problem+json" },
				});
				assert.equal(refused.status, 403);
				assert.equal((refused.body as unknown as { code: string }).code, "config.not_permitted");
			}
			assert.doesNotMatch(await exported(cast.admin), /New|google|require_mfa/);
			const person = await plan(cast.admin, PROVIDER);
			assert.deepEqual(person.not_permitted, []);
			assert.doesNotMatch(JSON.stringify(person), /client_secret/);
		});
	});
});

describe("the audit trail of an applied file", () => {
	it("has the event of each change", async () => {
		await apply(cast.admin, "groups:\n  Traced: {}\n");
		const { data } = (
			await service.callAsAdmin("GET", "/api/v1/audit-events?action=group.created&target_name=Traced")
		).body;
		assert.equal(data.length, 1);
	});
});
