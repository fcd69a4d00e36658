import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { API_DESCRIPTION } from "../../src/app/api-description.ts";
import { describeRoutes, UNUSED } from "../../src/app/described-routes.ts";
import { oauth } from "../../src/app/map.ts";
import { type OpenApi, openApiDocument } from "../../src/http/openapi/openapi.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { type CommandOptions, runCommand } from "../harness/processes/command.ts";
import type { Exit } from "../harness/processes/program.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { commandSettings } from "../harness/service/service-database.ts";

describe("latchkey api", () => {
	const service = testService();
	const env = fixture(() => commandSettings(service.dataDir));

	const run = (args: readonly string[], options: CommandOptions = {}): Promise<Exit> =>
		runCommand(["api", ...args], { env, ...options });
	async function body(args: readonly string[], options: CommandOptions = {}) {
		const { code, stdout, stderr } = await run(args, options);
		assert.equal(code, 0, stderr);
		return JSON.parse(stdout);
	}
	async function assertRefused(
		args: readonly string[],
		status: number,
		line: RegExp,
		options: CommandOptions = {},
	): Promise<void> {
		const { code, stdout, stderr } = await run(args, options);
		assert.match(stderr, line);
		assert.deepEqual([code, stdout], [status, ""], stderr);
	}

	describe("in this process, beside a running service", () => {
		test("returns what the service returns", async () => {
			await addPerson(service, "listed");
			const token = await service.adminToken();
			const { body: sent } = await service.call("GET", "/api/v1/users?username=listed", { token });
			for (const args of [
				["GET", "/users?username=listed"],
				["get", "users", "-f", "username=listed"],
				["GET", "/api/v1/users", "-f", "username=listed"],
			])
				assert.deepEqual(await body(args), sent);
		});

		test("changes what the running service uses next, as the operating-system user", async () => {
			const person = await addPerson(service, "leaver");
			const token = await service.tokenOf(person.username, person.password);
			const { data } = await body(["PATCH", `/users/${person.id}`, "-f", "status=disabled"]);
			assert.equal(data.status, "disabled");
			assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 401);
			const event = (await auditOf(service, `user:${person.id}`)).at(-1);
			assert.deepEqual([event?.action, event?.actor], ["user.updated", `cli:${userInfo().username}`]);
		});

		test("takes the actor from the system, never from a variable", async () => {
			const { data } = await body(["POST", "/groups", "-f", "name=Named by USER"], {
				env: { ...env, USER: "mallory", LOGNAME: "mallory", SUDO_USER: "mallory" },
			});
			const [event] = await auditOf(service, `group:${data.id}`);
			assert.equal(event?.actor, `cli:${userInfo().username}`);
		});

		test("acts in person: calls what an admin key may not", async () => {
			const slug = "acts-in-person";
			const named = ["POST", "/tenants", "-f", `slug=${slug}`, "-f", "name=Acts"];
			const admin = { username: "boss", email: "boss@acts.example", password: "a long and winding road" };
			await assertRefused([...named, "-f", `admin=${JSON.stringify(admin)}`], 2, /admin is a secret/);
			const { data } = await body([...named, "--input", "-"], { input: JSON.stringify({ admin }) });
			assert.equal(data.slug, slug);
			const person = await addPerson(service, "roles-by-command");
			const changed = await body([
				"PATCH",
				`/users/${person.id}`,
				"-f",
				"roles=auditor",
				"-f",
				"roles=reviewer",
			]);
			assert.deepEqual(changed.data.roles, ["reviewer", "auditor"]);
			const { data: apps } = await body(["GET", "/applications"]);
			assert.ok(Array.isArray(apps));
		});

		test("acts in the tenant of --tenant", async () => {
			const other = await addSecondTenant(service);
			const person = await addPerson(service, "first-tenant");
			await assertRefused(["GET", `/users/${person.id}`, "--tenant", other.slug], 3, /user\.not_found/);
			await assertRefused(["GET", "/users", "--tenant", "nowhere"], 3, /there is no tenant "nowhere"/);
			const { data } = await body(["GET", "/branding", "--tenant", other.slug]);
			assert.equal(typeof data.product_name, "string");
		});

		test("gives fields the types of the API", async () => {
			const client = await addApiClient(service);
			const path = `/api-clients/${client.id}`;
			const typed = await body([
				"PATCH",
				path,
				"-f",
				"ip_allowlist=203.0.113.7",
				"-f",
				"expires_at=2099-01-01T00:00:00Z",
			]);
			assert.deepEqual(
				[typed.data.ip_allowlist, typed.data.expires_at],
				[["203.0.113.7"], "2099-01-01T00:00:00.000Z"],
			);
			const cleared = await body(["PATCH", path, "-f", "ip_allowlist=[]", "-f", "expires_at=null"]);
			assert.deepEqual([cleared.data.ip_allowlist, cleared.data.expires_at], [[], null]);
			const app = `/applications/${client.app_id}/gate`;
			const rules = JSON.stringify([{ path: "/orders/*", needs: "public" }]);
			const output = join(service.dataDir, "gate.json");
			const gate = ["PUT", app, "-f", `rules=${rules}`, "-f", "accept=partner", "--output", output];
			const made = await run(gate);
			assert.equal(made.code, 0, made.stderr);
			assert.equal(JSON.parse(readFileSync(output, "utf8")).data.rules[0].path, "/orders/*");
			await assertRefused(
				["POST", "/users", "-f", "username=x", "-f", "email=x@people.example", "-f", "invite=yes"],
				2,
				/invite must be true or false$/m,
			);
			await assertRefused(["GET", "/users", "-f", "page=one"], 2, /page must be a whole number$/m);
			await assertRefused(["PUT", app, "-f", "rules=[", "-f", "accept=partner"], 2, /rules must be JSON$/m);
			await assertRefused(["GET", "/users", "-f", "page=1", "-f", "page=2"], 2, /page is not a list/);
			await assertRefused(["GET", "/users", "-f", "page"], 2, /-f must be key=value$/m);
		});

		test("leaves unknown names to the service, which names the nearest one", async () => {
			const args = ["POST", "/users", "-f", "user_name=x", "-f", "email=y@people.example"];
			await assertRefused(args, 2, /request\.invalid: .*user_name.*username/);
			await assertRefused(["GET", "/users", "-f", "sattus=active"], 2, /sattus.*status/);
		});

		test("takes secrets from standard input only, beside other fields", async () => {
			const given = ["POST", "/users", "-f", "username=typed", "-f", "email=typed@people.example"];
			const { stderr } = await run([...given, "-f", "password=a long and winding road"]);
			assert.match(stderr, /password is a secret, .* --input -$/m);
			assert.doesNotMatch(stderr, /winding/);
			const input = JSON.stringify({ password: "a long and winding road" });
			const { data } = await body([...given, "--input", "-"], { input });
			assert.equal(data.username, "typed");
			assert.ok(await service.tokenOf("typed", "a long and winding road"));
			await assertRefused([...given, "--input", "-"], 2, /username is both a field and in the input/, {
				input: JSON.stringify({ username: "twice" }),
			});
			await assertRefused([...given, "--input", "-"], 2, /must be a JSON object/, { input: "[1]" });
		});

		test("prints a secret on a terminal, or into a new file of its owner, and never into a pipe", async () => {
			const { id } = await addApiClient(service);
			const args = ["POST", `/api-clients/${id}/regenerate-secret`];
			await assertRefused(args, 2, /contains a secret: print it on a terminal, or use --output FILE/);
			const onTerminal = await body(args, { onTerminal: true });
			assert.match(onTerminal.data.secret, /^sk_/);
			const output = join(service.dataDir, "secret.json");
			const written = await run([...args, "--output", output]);
			assert.deepEqual([written.code, written.stdout], [0, ""], written.stderr);
			assert.match(JSON.parse(readFileSync(output, "utf8")).data.secret, /^sk_/);
			assert.equal(statSync(output).mode & 0o777, 0o600);
			const events = await auditOf(service, `api_client:${id}`);
			await assertRefused([...args, "--output", output], 4, /secret\.json exists already$/m);
			await assertRefused([...args, "--output", "/nowhere/x"], 3, /cannot be written/);
			assert.equal((await auditOf(service, `api_client:${id}`)).length, events.length);
		});

		test("removes the file of a refused request", async () => {
			const output = join(service.dataDir, "refused.json");
			const id = "01980000-0000-7000-8000-000000000000";
			const args = ["POST", `/api-clients/${id}/regenerate-secret`, "--output", output];
			await assertRefused(args, 3, /api_client\.not_found/);
			assert.throws(() => statSync(output), /ENOENT/);
		});

		test("prints the items of all pages, one per line", async () => {
			const names = Array.from({ length: 105 }, (_, each) => `Paged ${each}`);
			await Promise.all(names.map((name) => service.asAdmin("POST", "/api/v1/groups", { name })));
			const { stdout } = await run(["GET", "/groups", "-f", "q=Paged", "--paginate"]);
			const lines = stdout
				.trimEnd()
				.split("\n")
				.map((line) => JSON.parse(line).name);
			assert.deepEqual(lines.sort(), names.sort());
			await assertRefused(["GET", "/overview", "--paginate"], 2, /--paginate is for lists/);
		});

		test("prints one line with --json", async () => {
			const { stdout } = await run(["GET", "/overview", "--json"]);
			assert.equal(stdout.trimEnd().split("\n").length, 1);
		});

		test("writes files of the API as they are, and records the export", async () => {
			const { stdout } = await run(["GET", "/users", "-f", "format=csv"]);
			assert.match(stdout, /username.*\r\n/);
			const { data } = await body(["GET", "/audit-events", "-f", "action=list.exported"]);
			assert.match(data[0].actor, /^cli:/);
			const logo = join(service.dataDir, "logo.png");
			writeFileSync(logo, "no image");
			await assertRefused(["PUT", "/branding/logo", "--input", logo], 2, /PNG/);
			await assertRefused(["PUT", "/branding/logo"], 2, /takes a file: use --input FILE/);
		});

		test("writes the mails of a change, which the running service sends", async () => {
			const invited = ["-f", "username=mailed", "-f", "email=mailed@people.example", "-f", "invite=true"];
			await body(["POST", "/users", ...invited]);
			assert.ok((await service.mailsTo("mailed@people.example", 1)).length === 1);
		});

		test("creates an admin key without a creator, which works until it is deleted", async () => {
			const output = join(service.dataDir, "key.json");
			const args = ["POST", "/admin-keys", "-f", "name=Bootstrap", "-f", "roles=admin"];
			const expiry = new Date(Date.now() + 86_400_000).toISOString();
			const made = await run([...args, "-f", `expires_at=${expiry}`, "--output", output]);
			assert.equal(made.code, 0, made.stderr);
			const { data } = JSON.parse(readFileSync(output, "utf8"));
			assert.equal(data.created_by, null);
			const list = () => service.call("GET", "/api/v1/users", { token: data.key });
			assert.equal((await list()).status, 200);
			assert.equal((await run(["DELETE", `/admin-keys/${data.id}`])).code, 0);
			assert.equal((await list()).status, 401);
		});
	});

	describe("refuses", () => {
		const elsewhere = [
			["GET", "/users/me"],
			["PUT", "/users/me"],
			["POST", "/auth/login"],
			["POST", "/auth/logout"],
			["GET", "/auth/third-party/google/callback"],
			["POST", "/access-requests"],
			["GET", "/external/whoami"],
			["POST", "/access/v1/evaluation"],
			["POST", "/oauth/token"],
		] as const;
		for (const [method, path] of elsewhere)
			test(`${method} ${path} with api.not_here`, async () => {
				const { code, stderr } = await run([method, path, "--json", "--quiet"]);
				assert.equal(code, 2);
				assert.equal(JSON.parse(stderr).error.code, "api.not_here");
			});

		test("unknown paths and methods, and paths with a placeholder", async () => {
			await assertRefused(
				["GET", "/userz"],
				2,
				/the API has no path \/userz; did you mean \/api\/v1\/users\?$/m,
			);
			await assertRefused(["PUT", "/users"], 2, /\/api\/v1\/users has the methods GET, POST, not PUT$/m);
			await assertRefused(["GET", "/users/{id}"], 2, /replace the \{…\}/);
			await assertRefused(["GET", "/users?q=a b"], 2, /percent-encoded/);
		});

		test("what the API refuses, with its code and the exit status of its kind", async () => {
			const admin = (await body(["GET", "/users", "-f", "username=admin"])).data[0];
			await assertRefused(["PATCH", `/users/${admin.id}`, "-f", "status=disabled"], 4, /user\.last_admin: /);
			const id = "01980000-0000-7000-8000-000000000000";
			const { code, stderr } = await run(["GET", `/users/${id}`, "--json", "--quiet"]);
			assert.deepEqual([code, JSON.parse(stderr).error.code], [3, "user.not_found"]);
		});
	});

	describe("--help", () => {
		test("knows exactly the operations and fields of the running service", async () => {
			const { paths } = (await (await fetch(`${service.httpUrl}/openapi.json`)).json()) as OpenApi;
			const served = openApiDocument({
				version: "",
				publicUrl: service.httpUrl,
				routes: describeRoutes(),
				mounts: oauth(UNUSED),
				about: API_DESCRIPTION,
			});
			assert.deepEqual(JSON.parse(JSON.stringify(served.paths)), paths);
		});

		test("lists the routes that can be called from here", async () => {
			const { code, stdout } = await run(["--help"], { env: {} });
			assert.equal(code, 0);
			assert.match(stdout, /^ {2}GET +\/users +List users$/m);
			assert.doesNotMatch(stdout, /\/users\/me|\/auth\/|\/external\/|\/oauth\/(?!client)/);
		});

		test("describes one route with its fields", async () => {
			const { code, stdout } = await run(["POST", "/users", "--help"], { env: {} });
			assert.equal(code, 0);
			assert.match(stdout, /^ {2}username +string +required/m);
			assert.match(stdout, /^ {2}password +secret \(--input -\)/m);
			assert.match(stdout, /^ {2}status +active\|disabled$/m);
		});
	});

	describe("--url, at a running service", () => {
		const withKey = fixture(async () => {
			const { key } = await addAdminKey(service, { roles: ["admin"] });
			return { LATCHKEY_ADMIN_KEY: key };
		});
		const url = () => ["--url", service.httpUrl];

		test("calls it with the admin key, and needs no installation", async () => {
			const { data } = await body(["GET", "/users", "-f", "username=admin", ...url()], { env: withKey });
			assert.equal(data[0].username, "admin");
			const made = await body(["POST", "/groups", "-f", "name=By key", ...url()], { env: withKey });
			const [event] = await auditOf(service, `group:${made.data.id}`);
			assert.match(event?.actor ?? "", /^key:/);
		});

		test("refuses what a key may not do with the code of the service", async () => {
			const args = ["POST", "/tenants", "-f", "slug=by-key", "-f", "name=By key", ...url()];
			await assertRefused(args, 4, /admin_key\.not_allowed: /, { env: withKey });
			const wrong = { LATCHKEY_ADMIN_KEY: "lk_wrong" };
			await assertRefused(["GET", "/users", ...url()], 4, /token\.invalid: /, { env: wrong });
		});

		test("refuses a missing key, another scheme, --tenant, and an address that does not respond", async () => {
			const list = ["GET", "/users"];
			await assertRefused([...list, ...url()], 2, /set LATCHKEY_ADMIN_KEY/, { env: {} });
			const options = { env: withKey };
			await assertRefused([...list, "--url", "http://auth.example.com"], 2, /must be an https/, options);
			await assertRefused([...list, "--url", "auth.example.com"], 2, /expected a URL like/, options);
			await assertRefused([...list, ...url(), "--tenant", "x"], 2, /--tenant is not for --url/, options);
			await assertRefused([...list, "--url", "http://127.0.0.1:1"], 6, /did not respond/, options);
		});

		test("prints neither the text of what is not JSON, nor control characters", async () => {
			const bodies: Record<string, readonly [number, string]> = {
				"/api/v1/users": [200, '{"data":{"key":"lk_cut'],
				"/api/v1/groups": [409, JSON.stringify({ code: "a\u001b[2J", detail: "x\u001b]0;y\u009b1m" })],
				"/api/v1/tenants": [400, "null"],
				"/api/v1/webhooks": [200, JSON.stringify({ data: null })],
			};
			const other = createServer((request, response) => {
				const [status, text] = bodies[(request.url ?? "").replace(/\?.*/, "")] ?? [404, ""];
				response.writeHead(status, { "content-type": "application/json" }).end(text);
			});
			const port = await new Promise<number>((resolve) => {
				other.listen(0, "127.0.0.1", () => resolve((other.address() as AddressInfo).port));
			});
			try {
				const at = ["--url", `http://127.0.0.1:${port}`];
				const options = { env: withKey };
				await assertRefused(
					["GET", "/users", ...at],
					1,
					/the response is not JSON: check that --url/,
					options,
				);
				const { stderr } = await run(["GET", "/groups", ...at], options);
				assert.match(stderr, /^latchkey: .*x\?\]0;y\?1m$/m);
				await assertRefused(["GET", "/tenants", ...at], 2, /status 400$/m, options);
				await assertRefused(["GET", "/webhooks", "--paginate", ...at], 1, /no page of a list/, options);
				const { stderr: cut } = await run(["GET", "/users", ...at], options);
				assert.doesNotMatch(cut, /lk_cut/);
			} finally {
				other.close();
			}
		});

		test("is no setting of the service: other commands ignore LATCHKEY_ADMIN_KEY", async () => {
			const { code, stderr } = await runCommand(["keys", "list"], { env: { ...env, ...withKey } });
			assert.equal(code, 0, stderr);
		});
	});
});
