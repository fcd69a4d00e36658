// Kills `latchkey config apply` at each of its changes, and lets two of them write at once.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { runCommand } from "../harness/processes/command.ts";
import { spawnProgram } from "../harness/processes/program.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { commandSettings } from "../harness/service/service-database.ts";

/** Every how many changes. */
const STRIDE = atDepth({ quick: 6, all: 2, long: 1 });

const BEFORE = `groups: {Former: {}, Staff: {}}
applications:
  former: {name: Former, oauth_client: {type: spa}}
  old: {name: Shop}
`;

/** With a change of each kind. */
const FILE = `groups: {Crew: {}, Staff: {description: All}}
identity_providers:
  google: {kind: google, display_name: Google, client_id: a, client_secret: b}
applications:
  shop:
    renamed_from: old
    name: Shop
    requestable: {roles: [clerk], longest: P7D, reviewers: Crew}
    roles: {clerk: {permissions: ["orders:read"]}, lead: {}}
    grants: {Staff: [clerk]}
    gate:
      rules: [{path: /orders, needs: "orders:read"}]
      secret_file: gate-key
    oauth_client:
      type: service
      resource: https://shop.example
      allowed_resources: [https://stock.example]
      secret_file: shop-secret
  stock:
    name: Stock
    oauth_client:
      type: service
      resource: https://stock.example
      allowed_resources: [https://shop.example]
      secret_file: stock-secret
webhooks:
  https://hooks.example/in:
    event_types: [user.created]
    status: disabled
    secret_file: webhook-secret
branding: {product_name: Looms}
`;
/** The rename is true only once. */
const LATER = FILE.replace("    renamed_from: old\n", "");

describe("latchkey config apply", () => {
	const folder = lastingFolder();
	const service = testService();
	const env = fixture(() => commandSettings(service.dataDir));
	let database: Engine;
	setup(async () => {
		database = await service.openDatabase();
	});
	after(() => database.close());

	let files = 0;
	const write = (text: string): string => {
		const own = join(folder, String(++files));
		mkdirSync(own);
		writeFileSync(join(own, "latchkey.yaml"), text);
		return join(own, "latchkey.yaml");
	};
	const run = (slug: string, ...args: string[]) => runCommand(["config", ...args, "--tenant", slug], { env });
	async function tenantBefore(): Promise<{
		readonly slug: string;
		readonly id: string;
		readonly sequence: number;
	}> {
		const { slug, id } = await addSecondTenant(service);
		const { code, stderr } = await run(slug, "apply", write(BEFORE));
		assert.equal(code, 0, stderr);
		return { slug, id, sequence: await sequenceOf(id) };
	}
	async function sequenceOf(tenantId: string): Promise<number> {
		const sql = "SELECT max(sequence) AS sequence FROM audit_events WHERE tenant_id = $1";
		return (await database.queries.one<{ sequence: number }>(sql, tenantId))?.sequence ?? 0;
	}
	const script = (sql: string) => database.transaction((queries) => database.script(queries, sql));

	/** The change that appends this event never ends. */
	async function hangAt(tenantId: string, sequence: number): Promise<() => Promise<void>> {
		const isHere = `NEW.tenant_id = '${tenantId}' AND NEW.sequence = ${sequence}`;
		if (TEST_ENGINE === "sqlite") {
			const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
			await script(`CREATE TRIGGER hangs AFTER INSERT ON audit_events WHEN ${isHere} BEGIN ${endless}; END`);
			return () => script("DROP TRIGGER hangs");
		}
		await script(`CREATE FUNCTION hangs() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
			IF ${isHere} THEN PERFORM pg_sleep(600); END IF; RETURN NULL; END $body$;
			CREATE TRIGGER hangs AFTER INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION hangs()`);
		return async () => {
			// The server notices the end of its client only when it writes to it.
			await database.queries.all(
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
			);
			await script("DROP TRIGGER hangs ON audit_events; DROP FUNCTION hangs()");
		};
	}

	/** One change may append several events, so those before it need not be all. */
	async function untilHanging(tenantId: string, sequence: number, hasEnded: () => boolean): Promise<void> {
		const first = await sequenceOf(tenantId);
		let [last, changedAtMs] = [first, performance.now()];
		while (!hasEnded() && last < sequence - 1) {
			await new Promise((resolve) => setTimeout(resolve, 10));
			const now = await sequenceOf(tenantId);
			if (now !== last) [last, changedAtMs] = [now, performance.now()];
			else if (performance.now() - changedAtMs > (last === first ? 30_000 : 2_000)) return;
		}
	}

	test("killed at any change and repeated, it ends as if it had never been killed", async (t) => {
		const whole = await tenantBefore();
		const applied = await run(whole.slug, "apply", write(FILE), "--prune");
		assert.equal(applied.code, 0, applied.stderr);
		const expected = (await run(whole.slug, "export")).stdout;
		const events = (await sequenceOf(whole.id)) - whole.sequence;
		assert.ok(events >= 15, `${events} changes`);
		const rounds: number[] = [];
		for (let event = 1; event <= events; event += STRIDE) {
			const { slug, id, sequence } = await tenantBefore();
			const file = write(FILE);
			const release = await hangAt(id, sequence + event);
			const apply = spawnProgram(["config", "apply", file, "--prune", "--tenant", slug], { env });
			let hasExited = false;
			void apply.exited.then(() => (hasExited = true));
			await untilHanging(id, sequence + event, () => hasExited);
			apply.kill("SIGKILL");
			assert.equal((await apply.exited).signal, "SIGKILL", apply.stderr());
			await release();
			rounds.push((await sequenceOf(id)) - sequence);
			// Until the rename, the file with it is true.
			const isRenamed = (await run(slug, "export")).stdout.includes("  shop:");
			writeFileSync(file, isRenamed ? LATER : FILE);
			const again = await run(slug, "apply", file, "--prune");
			assert.equal(again.code, 0, `at ${event}: ${again.stderr}`);
			assert.equal((await run(slug, "export")).stdout, expected, `killed at ${event}`);
			writeFileSync(file, LATER);
			const planned = await run(slug, "plan", file, "--prune");
			assert.equal(planned.code, 0, `at ${event}: ${planned.stdout}`);
		}
		t.diagnostic(`changes before each kill: ${rounds.join(" ")}`);
		assert.ok(new Set(rounds).size > rounds.length / 2, `changes before each kill: ${rounds}`);
	});

	test("writes each secret that the killed one did not make to its file", async () => {
		const { slug, id, sequence } = await tenantBefore();
		const file = write(FILE);
		const release = await hangAt(id, sequence + 4);
		const apply = spawnProgram(["config", "apply", file, "--tenant", slug], { env });
		await untilHanging(id, sequence + 4, () => false);
		apply.kill("SIGKILL");
		await apply.exited;
		await release();
		const isRenamed = (await run(slug, "export")).stdout.includes("  shop:");
		writeFileSync(file, isRenamed ? LATER : FILE);
		const again = await run(slug, "apply", file);
		assert.equal(again.code, 0, again.stderr);
		for (const [name, form] of [
			["gate-key", /^gk_/],
			["shop-secret", /^ocs_/],
			["webhook-secret", /^whsec_/],
		] as const)
			assert.match(readFileSync(join(file, "..", name), "utf8"), form);
	});

	test("beside another writer, each resource is that of one of the two, and the loser exits with 4", async () => {
		const { slug } = await addSecondTenant(service);
		const groups = (description: string): string =>
			`groups:\n${Array.from({ length: 60 }, (_, index) => `  G${index}: {description: ${description}}\n`).join("")}`;
		const start = await run(slug, "apply", write(groups("before")));
		assert.equal(start.code, 0, start.stderr);
		const both = ["one", "two"].map((name) =>
			spawnProgram(["config", "apply", write(groups(name)), "--tenant", slug], { env }),
		);
		const codes = (await Promise.all(both.map(({ exited }) => exited))).map(({ code }) => code);
		assert.ok(
			codes.every((code) => code === 0 || code === 4),
			`${codes} ${both.map((each) => each.stderr())}`,
		);
		assert.ok(codes.includes(0), String(codes));
		const { stdout } = await run(slug, "export");
		const written = new Set([...stdout.matchAll(/description: (\w+)/g)].map(([, name]) => name));
		assert.ok(!written.has("before"), stdout);
		const last = write(groups("one"));
		assert.equal((await run(slug, "apply", last)).code, 0);
		assert.equal((await run(slug, "plan", last)).code, 0);
	});
});
