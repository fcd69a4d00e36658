import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { linkSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { type CommandOptions, runCommand } from "../harness/processes/command.ts";
import { spawnProgram } from "../harness/processes/program.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { commandSettings } from "../harness/service/service-database.ts";

describe("latchkey config", () => {
	const folder = lastingFolder();
	const service = testService();
	const env = fixture(() => commandSettings(service.dataDir));

	const run = (args: readonly string[], { env: more, ...options }: CommandOptions = {}) =>
		runCommand(["config", ...args], { env: { ...env, ...more }, ...options });
	let files = 0;
	const file = (text: string): string => {
		const path = join(folder, `${++files}.yaml`);
		writeFileSync(path, text);
		return path;
	};

	test("plans with exit status 2, applies, writes each secret to its file, and then plans with 0", async () => {
		const path = file(
			[
				"applications:",
				"  shop:",
				"    name: $" + "{env:SHOP_NAME} shop",
				"    require_mfa: $" + "{env:SHOP_MFA}",
				"    gate:",
				"      rules: [{path: /status, needs: public}]",
				"      secret_file: gate-key # beside the file",
			].join("\n"),
		);
		const shop = { env: { SHOP_NAME: 'A "quoted"', SHOP_MFA: "true" } };
		const planned = await run(["plan", path], shop);
		assert.deepEqual(
			[planned.code, planned.stdout.split("\n").slice(0, 3)],
			[2, ["+ applications.shop", '    name: "A \\"quoted\\" shop"', "    require_mfa: true"]],
		);
		const applied = await run(["apply", path], shop);
		assert.equal(applied.code, 0, applied.stderr);
		const key = join(folder, "gate-key");
		assert.match(readFileSync(key, "utf8"), /^gk_[A-Za-z0-9_-]{43}\n$/);
		assert.equal(statSync(key).mode & 0o777, 0o600);
		assert.doesNotMatch(applied.stdout, /gk_/);
		const again = await run(["plan", path], shop);
		assert.deepEqual([again.code, again.stdout], [0, "nothing to change\n"]);
	});

	test("plans 200 applications with one request, and applies them with two", async () => {
		const { key } = await addAdminKey(service, { roles: ["admin"] });
		const names = Array.from({ length: 200 }, (_, index) => `  counted-${index}: {name: Counted ${index}}`);
		const path = file(["applications:", ...names].join("\n"));
		const counted = async (command: "plan" | "apply") => {
			let requests = 0;
			const count = () => requests++;
			diagnostics.subscribe("http.client.request.start", count);
			try {
				const { code } = await run([command, path, "--url", service.httpUrl], {
					env: { LATCHKEY_ADMIN_KEY: key },
				});
				return [code, requests];
			} finally {
				diagnostics.unsubscribe("http.client.request.start", count);
			}
		};
		assert.deepEqual(await counted("plan"), [2, 1]);
		assert.deepEqual(await counted("apply"), [0, 2]);
		assert.deepEqual(await counted("plan"), [0, 1]);
	});

	test("calls a running service with an admin key, and exits with 1 for what the key may not do", async () => {
		const { key } = await addAdminKey(service, { roles: ["admin"] });
		const remote = { env: { LATCHKEY_ADMIN_KEY: key } };
		const exported = await run(["export", "--url", service.httpUrl], remote);
		assert.equal(exported.code, 0, exported.stderr);
		assert.equal(exported.stdout, (await run(["export"])).stdout);
		const path = file(
			"identity_providers:\n  google: {kind: google, display_name: G, client_id: a, client_secret: b}\n",
		);
		for (const action of ["plan", "apply"]) {
			const { code, stderr } = await run([action, path, "--url", service.httpUrl], remote);
			assert.equal(code, 1);
			assert.match(stderr, /config\.not_permitted: .*identity_providers\.google/);
		}
		assert.equal((await run(["plan", path])).code, 2);
	});

	test("names file, line, and field of a mistake", async () => {
		const cases: readonly (readonly [text: string, line: RegExp])[] = [
			[
				"applications:\n  a:\n    name: A\n    acess_policy: open\n",
				/acess_policy is unknown; did you mean access_policy\? \(line 4\)/,
			],
			["groups:\n  A: {}\n  A: {}\n", /yaml:3: it has the key A twice/],
			[
				"groups:\n  A:\n    description: $" + "{env:LATCHKEY_MASTER_KEY}\n",
				/yaml:3: groups\.A\.description must not name a setting/,
			],
			["groups:\n  A:\n    description: $" + "{env:ABSENT}\n", /needs the variable ABSENT/],
			["groups:\n  A:\n    description: $" + "{file:/etc/passwd}\n", /only variables/],
			[
				"webhooks:\n  https://a.example: {event_types: [user.created], secret_file: x}\n",
				/yaml:2: .*secret_file must have a line of its own/,
			],
		];
		for (const [text, line] of cases) {
			const { code, stdout, stderr } = await run(["plan", file(text)]);
			assert.match(stderr, line);
			assert.deepEqual([code, stdout], [1, ""]);
		}
	});

	test("refuses to make a secret that would be lost, and changes nothing", async () => {
		const gate = "applications:\n  lost:\n    name: Lost\n    gate:\n      rules: []\n";
		const lost = await run(["apply", file(gate)]);
		assert.equal(lost.code, 1);
		assert.match(lost.stderr, /config\.secret_output: applications\.lost\.gate makes a secret/);
		const taken = file("taken");
		const over = await run(["apply", file(`${gate}      secret_file: ${taken}\n`)]);
		assert.equal(over.code, 1);
		assert.match(over.stderr, /exists already/);
		const linked = join(folder, "linked");
		writeFileSync(linked, "", { mode: 0o600 });
		linkSync(linked, join(folder, "other-name"));
		const behind = await run(["apply", file(`${gate}      secret_file: ${linked}\n`)]);
		assert.match(behind.stderr, /exists already/);
		assert.doesNotMatch((await run(["export"])).stdout, /lost/);
	});

	test("exits with 4 if the configuration changed since the plan", async () => {
		const path = file("groups:\n  Planned: {}\n");
		const { stdout } = await run(["plan", path, "--json"]);
		const { digest } = JSON.parse(stdout);
		await service.asAdmin("POST", "/api/v1/groups", { name: "Between" });
		const { code, stderr } = await run(["apply", path, "--expect", digest]);
		assert.equal(code, 4);
		assert.match(stderr, /config\.changed/);
		assert.doesNotMatch((await run(["export"])).stdout, /Planned/);
	});

	test("ends the same when it is repeated after a kill between two changes", async () => {
		const text = Array.from(
			{ length: 60 },
			(_, index) =>
				`  app-${index}:\n    name: Killed ${index}\n    roles: {reader: {permissions: ["orders:read"]}}\n    grants: {Crew: [reader]}\n`,
		).join("");
		const gate = "  last:\n    name: Last\n    gate:\n      rules: []\n      secret_file: last-gate-key\n";
		const path = file(`groups: {Crew: {}}\napplications:\n${text}${gate}`);
		const token = await service.adminToken();
		const made = async (): Promise<number> =>
			(await service.call("GET", "/api/v1/applications?q=Killed", { token })).body.total;
		const inBetween: number[] = [];
		for (const enough of [1, 20, 45]) {
			const apply = spawnProgram(["config", "apply", path], { env });
			let hasExited = false;
			void apply.exited.then(() => (hasExited = true));
			while (!hasExited && (await made()) < enough) await new Promise((resolve) => setTimeout(resolve, 2));
			apply.kill("SIGKILL");
			assert.equal((await apply.exited).signal, "SIGKILL");
			inBetween.push(await made());
		}
		assert.ok((inBetween[0] ?? 60) < 60, String(inBetween));
		const last = await run(["apply", path]);
		assert.equal(last.code, 0, last.stderr);
		const again = await run(["plan", path]);
		assert.equal(again.code, 0, again.stdout);
		assert.match(readFileSync(join(folder, "last-gate-key"), "utf8"), /^gk_/);
	});
});
