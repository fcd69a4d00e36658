import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mailedToken, submit } from "../harness/access-requests.ts";
import { addApiClient, addApplication, addRole } from "../harness/applications.ts";
import { runCommand } from "../harness/command.ts";
import { addGate } from "../harness/gates.ts";
import { addPerson, auditOf, isAlive, lockPassword } from "../harness/people.ts";
import type { Exit } from "../harness/program.ts";
import { addProgram, addProgramRequest } from "../harness/programs.ts";
import { startTestService, type TestService } from "../harness/service.ts";
import { placeOf } from "../harness/service-database.ts";
import { eventually } from "../harness/webhooks.ts";

describe("the commands of daily work, beside a running service", () => {
	let service: TestService;
	let env: Record<string, string>;
	before(async () => {
		service = await startTestService();
		const place = await placeOf(service.dataDir, {});
		env = { LATCHKEY_DATA_DIR: service.dataDir, ...place.env };
	});
	after(() => service.stop());

	const run = (...args: string[]): Promise<Exit> => runCommand(args, { env });
	/** Asserts success. @returns the printed JSON objects */
	async function json(...args: string[]) {
		const { code, stdout, stderr } = await run(...args, "--json");
		assert.equal(code, 0, stderr);
		return stdout
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => JSON.parse(line));
	}
	async function assertRefused(args: readonly string[], status: number, line: RegExp): Promise<void> {
		const { code, stdout, stderr } = await run(...args);
		assert.match(stderr, line);
		assert.deepEqual([code, stdout], [status, ""]);
	}
	async function actionsOf(target: string): Promise<(readonly [string, boolean])[]> {
		return (await auditOf(service, target)).map(({ action, actor }) => [action, /^cli:./.test(actor)]);
	}

	describe("users", () => {
		test("list prints a table, or with --json the objects of the API, and how many --limit omits", async () => {
			await addPerson(service, "listed-1");
			await addPerson(service, "listed-2");
			const { stdout } = await run("users", "list", "--search", "listed-");
			assert.match(stdout, /^username +email +status +roles +last_login_at\nlisted-2 .*\nlisted-1 .*\n$/);
			const [first] = await json("users", "list", "--search", "listed-", "--limit", "1");
			const token = await service.adminToken();
			const { body } = await service.call("GET", "/api/v1/users?q=listed-2", { token });
			assert.deepEqual(first, body.data[0]);
			const short = await run("users", "list", "--search", "listed-", "--limit", "1");
			assert.match(short.stderr, /^1 of 2: --limit shows more$/m);
		});

		test("show, disable, and unlock accept a username, an email address, or an id", async () => {
			const person = await addPerson(service, "nameable");
			for (const name of ["NAMEABLE", person.email, person.id]) {
				const [user] = await json("users", "show", name);
				assert.equal(user.id, person.id);
			}
			assert.match((await run("users", "show", "nameable")).stdout, /^username +nameable$/m);
			await lockPassword(service, person);
			await assert.rejects(service.tokenOf(person.username, person.password), /401|429/);
			const unlocked = await run("users", "unlock", person.email);
			assert.equal(unlocked.stdout, "nameable can try to sign in again\n");
			const token = await service.tokenOf(person.username, person.password);
			const [disabled] = await json("users", "disable", "nameable");
			assert.deepEqual([disabled.status, await isAlive(service, token)], ["disabled", false]);
			const actions = await actionsOf(`user:${person.id}`);
			for (const action of ["user.unlocked", "user.updated"])
				assert.ok(
					actions.some(([name, byCommand]) => name === action && byCommand),
					action,
				);
		});

		test("invite mails a link, and another one to an already invited user", async () => {
			const email = "Hedy.L@people.example";
			const first = await run(
				"users",
				"invite",
				email,
				"--display-name",
				"Hedy Lamarr",
				"--role",
				"reviewer",
			);
			assert.equal(
				first.stdout,
				"invited Hedy.L: the running service mails the link to hedy.l@people.example\n",
			);
			const [again] = await json("users", "invite", email.toLowerCase());
			assert.deepEqual(
				[again.username, again.status, again.display_name, again.roles],
				["Hedy.L", "invited", "Hedy Lamarr", ["reviewer"]],
			);
			const token = await mailedToken(service, again.email, "invite", 2);
			const body = { token, password: "a long and winding password" };
			assert.equal((await service.call("POST", "/api/v1/auth/invite/accept", { body })).status, 200);
			assert.deepEqual((await actionsOf(`user:${again.id}`)).slice(0, 3), [
				["user.created", true],
				["user.invited", true],
				["user.invited", true],
			]);
			await assertRefused(["users", "invite", email], 4, /taken/);
		});

		test("invite refuses a taken name, options for an invited user, and an address that yields no username", async () => {
			await json("users", "invite", "once@people.example", "--locale", "zh-CN");
			await assertRefused(
				["users", "invite", "once@people.example", "--role", "admin"],
				2,
				/once is already invited: omit the options/,
			);
			await assertRefused(["users", "invite", "once@else.example"], 4, /username .*taken/);
			await assertRefused(
				["users", "invite", "a+b@people.example"],
				2,
				/"a\+b" before the @ is not a valid username/,
			);
			await assertRefused(["users", "invite", "someone"], 2, /not a valid username|email must/);
			await assertRefused(
				["users", "invite", "role@people.example", "--role", "king"],
				2,
				/roles\.0 must be/,
			);
		});

		test("sessions, send-reset, and enable accept a name", async () => {
			const person = await addPerson(service, "returning");
			const [session] = await json("users", "sessions", person.email);
			assert.deepEqual([session.current, session.ip], [false, "127.0.0.1"]);
			assert.match((await run("users", "sessions", "returning")).stdout, /^device +ip +created_at /);
			const sent = await run("users", "send-reset", "RETURNING");
			assert.equal(sent.stdout, `the running service mails the link to ${person.email}\n`);
			assert.ok(await mailedToken(service, person.email, "reset"));
			await assertRefused(["users", "send-reset", "returning"], 1, /a minute|try again|wait/);
			await json("users", "disable", "returning");
			await assertRefused(["users", "send-reset", "returning"], 4, /the account is disabled/);
			const [enabled] = await json("users", "enable", "returning");
			assert.equal(enabled.status, "active");
			assert.deepEqual(await json("users", "sessions", "returning"), []);
		});

		test("refuses an unknown name, the last admin, and invalid values", async () => {
			await assertRefused(["users", "show", "nobody"], 3, /there is no user "nobody"$/m);
			await assertRefused(["users", "disable", "admin"], 4, /the last active admin/);
			await assertRefused(["users", "list", "--status", "away"], 2, /--status away must be one of active, /);
			await assertRefused(["users", "list", "--limit", "0"], 2, /--limit must be 1 to/);
			await assertRefused(["users", "list", "--tenant", "none"], 3, /there is no tenant "none"/);
		});
	});

	describe("requests", () => {
		test("approve and reject accept the email address or the project, and mail the applicant", async () => {
			const first = await submit(service, { project_name: "First Project" });
			const second = await submit(service);
			const listed = await json("requests", "list");
			assert.deepEqual(
				listed.map(({ id }) => id),
				[second.id, first.id],
			);
			const approved = await run(
				"requests",
				"approve",
				"first project",
				"--scope",
				"users:read",
				"--note",
				"Hi",
			);
			assert.equal(
				approved.stdout,
				`approved First Project; ${first.email} receives a link to claim the client\n`,
			);
			const [client] = await json("clients", "show", "First Project");
			assert.deepEqual(
				[client.status, client.scopes, client.created_by],
				["unclaimed", ["users:read"], null],
			);
			const [rejected] = await json("requests", "reject", second.email, "--note", "Not now.");
			assert.deepEqual(
				[rejected.status, rejected.review_note, rejected.reviewed_by],
				["rejected", "Not now.", null],
			);
			assert.deepEqual(await actionsOf(`access_request:${first.id}`), [
				["access_request.submitted", false],
				["access_request.approved", true],
			]);
			const mails = await json("mail", "list", "--to", first.email.toUpperCase());
			assert.ok(mails.length >= 1 && mails.every(({ to }) => to === first.email));
			assert.deepEqual(await json("requests", "list"), []);
		});

		test("show prints the purpose, resend mails another link", async () => {
			const old = await submit(service, { project_name: "Loom", purpose: "Weaving." });
			await json("requests", "reject", old.email, "--note", "Not yet.");
			const request = await submit(service, {
				project_name: "Loom",
				email: old.email,
				purpose: "Weaving better.",
			});
			assert.match((await run("requests", "show", "loom")).stdout, /^purpose +Weaving better\.$/m);
			await json("requests", "approve", "loom");
			const first = await mailedToken(service, request.email, "claim");
			await json("requests", "resend", request.email);
			const second = await mailedToken(service, request.email, "claim", 2);
			const claim = async (token: string) =>
				(await service.call("POST", "/api/v1/access-requests/claim", { body: { token } })).status;
			assert.deepEqual([await claim(first), await claim(second)], [404, 201]);
			await assertRefused(["requests", "resend", "loom"], 4, /claimed/);
			const found = await json("requests", "list", "--status", "all", "--search", "loo");
			assert.deepEqual(
				found.map(({ id }) => id),
				[request.id, old.id],
			);
		});

		test("refuses a decided request, an ambiguous name, an unknown name, and an invalid scope", async () => {
			const twins = [
				await submit(service, { project_name: "Twin" }),
				await submit(service, { project_name: "Twin" }),
			];
			const ambiguous = await run("requests", "approve", "twin");
			assert.equal(ambiguous.code, 4);
			for (const { id, email } of twins)
				assert.match(ambiguous.stderr, new RegExp(`${id} Twin <${email}> of 20`));
			await assertRefused(["requests", "approve", "Tw"], 3, /there is no access request "Tw"/);
			const [{ email } = { email: "" }] = twins;
			await assertRefused(["requests", "approve", email, "--scope", "all"], 2, /scopes\.0 must be one of/);
			await assertRefused(["requests", "reject", email, "--note", " "], 2, /review_note /);
			await json("requests", "reject", email, "--note", "No.");
			await assertRefused(["requests", "reject", email, "--note", "No."], 4, /already rejected/);
		});
	});

	describe("clients", () => {
		test("create and rotate print a working Secret once", async () => {
			const application = await addApplication(service, { name: "Printed Shop" });
			const created = await run("clients", "create", "Printer", "--app", application.slug, "--quiet");
			const [, key = "", secret = ""] =
				/^key: {5}(ak_\S+)\nsecret: {2}(\S+) {2}\(shown only this once\)$/m.exec(created.stdout) ?? [];
			const validate = async (candidate: string) => {
				const body = { api_key: key, secret: candidate };
				const token = await service.adminToken();
				const response = await service.call("POST", "/api/v1/api-clients/validate", { token, body });
				return response.body.data.valid;
			};
			assert.equal(await validate(secret), true);
			const [rotated] = await json("clients", "rotate", "PRINTER");
			assert.deepEqual([await validate(secret), await validate(rotated.secret)], [false, true]);
			const [again] = await json("clients", "rotate", key, "--overlap", "60");
			assert.deepEqual([await validate(rotated.secret), await validate(again.secret)], [true, true]);
			const shown = await run("clients", "show", key);
			const listed = await run("clients", "list", "--json");
			assert.ok(!(shown.stdout + listed.stdout).includes(again.secret));
			assert.deepEqual(await actionsOf(`api_client:${again.id}`), [
				["api_client.created", true],
				["api_client.secret_regenerated", true],
				["api_client.secret_regenerated", true],
			]);
		});

		test("refusals prints why calls of a client were refused, and list finds the client by application", async () => {
			const application = await addApplication(service, { name: "Refused Shop" });
			const client = await addApiClient(service, { app_id: application.id, name: "Till" });
			const wrong = {
				...client,
				secret: `${client.secret.slice(0, -1)}${client.secret.endsWith("A") ? "B" : "A"}`,
			};
			const refused = await service.signed(wrong, "GET", "/api/v1/external/whoami");
			assert.equal(refused.status, 401);
			const [call] = await eventually(
				() => json("clients", "refusals", "till"),
				(calls) => calls.length > 0,
			);
			assert.deepEqual(
				[call.code, call.reason, call.path, call.signature_valid],
				["signature.invalid", "signature.mismatch", "/api/v1/external/whoami", false],
			);
			const text = await run("clients", "refusals", client.api_key);
			assert.match(
				text.stdout,
				/^at +code +reason +method .*\n\S+ +signature\.invalid +signature\.mismatch +GET /,
			);
			const listed = await json("clients", "list", "--app", "refused shop", "--search", "Till");
			assert.deepEqual(
				listed.map(({ id }) => id),
				[client.id],
			);
			await assertRefused(["clients", "refusals", "nobody"], 3, /there is no API client "nobody"/);
		});

		test("refuses an unknown application, an ambiguous client, a past expiry, and an invalid overlap", async () => {
			const { id: app_id } = await addApplication(service);
			for (const _ of [1, 2]) await addApiClient(service, { app_id, name: "Double" });
			await assertRefused(
				["clients", "rotate", "double"],
				4,
				/"double" matches 2 API clients; use an id: \S+ ak_/,
			);
			await assertRefused(["clients", "create", "x", "--app", "nowhere"], 3, /no application "nowhere"/);
			const create = ["clients", "create", "x", "--app", app_id];
			await assertRefused(
				[...create, "--expires", "2001-01-01T00:00:00Z"],
				2,
				/expires_at must be in the future/,
			);
			await assertRefused([...create, "--allow", "10.0.0.1/8"], 2, /ip_allowlist/);
			await assertRefused(["clients", "rotate", app_id, "--overlap", "-1"], 2, /--overlap must be 0 to/);
		});
	});

	describe("programs", () => {
		let tenantId: string;
		before(async () => {
			tenantId = (await service.asAdmin("GET", "/api/v1/users/me")).tenant_id;
		});

		test("requests are listed, shown, approved, and rejected by name, host, or URL", async () => {
			const id = await addProgramRequest(service, tenantId, "Weaver");
			const [listed] = await json("programs", "requests", "list");
			assert.deepEqual([listed.id, listed.name, listed.kind], [id, "Weaver", "new"]);
			const [shown] = await json("programs", "requests", "show", "weaver");
			assert.equal(shown.document.published.client_name, "Weaver");
			const { stdout } = await run("programs", "requests", "show", shown.host);
			assert.match(stdout, /^redirect_uris +http:\/\/127\.0\.0\.1\/callback$/m);
			const approve = ["programs", "requests", "approve", "Weaver"];
			const other = "A".repeat(43);
			await assertRefused([...approve, "--digest", other], 4, /the document was read again and has changed/);
			await assertRefused([...approve, "--policy", "everyone"], 2, /access_policy must be one of/);
			await assertRefused([...approve, "--api", "https://unknown.example"], 2, /allowed_resources/);
			const done = await run(...approve, "--digest", shown.document_digest, "--policy", "assigned");
			assert.equal(done.stdout, `approved Weaver of ${shown.host}\n`);
			await assertRefused(approve, 4, /already approved/);
			await addProgramRequest(service, tenantId, "Spinner");
			const reject = ["programs", "requests", "reject", "Spinner", "--note"];
			await assertRefused([...reject, " "], 2, /review_note /);
			const [rejected] = await json(...reject, "Nobody knows it.");
			assert.deepEqual([rejected.status, rejected.review_note], ["rejected", "Nobody knows it."]);
			assert.deepEqual(await json("programs", "requests", "list"), []);
			assert.equal((await json("programs", "requests", "list", "--status", "all")).length, 2);
			assert.deepEqual(await actionsOf(`program_request:${id}`), [["program.approved", true]]);
		});

		test("list, show, suspend, activate, and read-again find a program by name, host, or URL", async () => {
			const id = await addProgram(service, "Loom Agent");
			const [shown] = await json("programs", "show", "loom agent");
			assert.equal(shown.application_id, id);
			const text = await run("programs", "show", shown.client_id);
			assert.match(text.stdout, /^token_endpoint_auth_method +none$/m);
			const suspended = await run("programs", "suspend", shown.host);
			assert.equal(suspended.stdout, `Loom Agent of ${shown.host} is suspended\n`);
			const list = async (status: string) =>
				(await json("programs", "list", "--status", status)).map(({ application_id }) => application_id);
			assert.deepEqual(await list("suspended"), [id]);
			const [active] = await json("programs", "activate", id);
			assert.deepEqual([active.status, active.suspended_by], ["active", null]);
			assert.ok((await list("active")).includes(id));
			const [due] = await json("programs", "read-again", "Loom Agent");
			assert.ok(Date.parse(due.next_read_at) <= service.clock.now());
			await assertRefused(["programs", "show", "nobody"], 3, /there is no program "nobody"/);
			await assertRefused(["programs", "list", "--status", "gone"], 2, /must be one of active, suspended/);
			assert.deepEqual(await actionsOf(`program:${id}`), [
				["program.suspended", true],
				["program.updated", true],
			]);
		});
	});

	describe("gates", () => {
		test("list and show print gates without their keys, and the rules in their order", async () => {
			const { id } = await addApplication(service, { name: "Gated Shop", slug: "gated-shop" });
			await addRole(service, id, "reader", ["orders:read"]);
			const rules = [
				{ methods: ["GET", "POST"], path: "/orders/*", needs: "orders:read", mfa: true },
				{ path: "/*", needs: "public" },
			];
			const { gate_key, ...gate } = await addGate(service, { rules, statement: true }, id);
			const [listed] = await json("gates", "list");
			assert.deepEqual([listed.application, listed.application_id], ["gated-shop", id]);
			const text = await run("gates", "list");
			assert.match(
				text.stdout,
				/^application +rule_count +accept .*\ngated-shop +2 +partner person program /,
			);
			const [shown] = await json("gates", "show", "GATED SHOP");
			assert.deepEqual(shown, { application: "gated-shop", ...gate });
			const { stdout } = await run("gates", "show", id);
			assert.match(stdout, /^1 +GET,POST +\/orders\/\* +orders:read +mfa\n2 +\* +\/\* +public$/m);
			assert.ok(typeof gate_key === "string" && !(text.stdout + stdout).includes(gate_key));
		});

		test("explain names callers by name, and agrees with the API", async () => {
			const { id } = await addApplication(service, { name: "Asked", access_policy: "assigned" });
			await addGate(service, { rules: [{ path: "/in", needs: "signed-in" }] }, id);
			const person = await addPerson(service, "gate-caller");
			const client = await addApiClient(service, { app_id: id, name: "Gate Till" });
			const program = await addApplication(service, { name: "Gate Robot" });
			for (const [caller, resolved] of [
				[`person:${person.email}`, `person:${person.id}`],
				["partner:gate till", `partner:${client.id}`],
				["program:gate robot", `program:${program.id}`],
			] as const) {
				const [explained] = await json("gates", "explain", "asked", "get", "/in", "--caller", caller);
				const body = { method: "GET", target: "/in", caller: resolved };
				const path = `/api/v1/applications/${id}/gate/explain`;
				assert.equal(explained.code, "application.access_denied");
				assert.deepEqual(explained, await service.asAdmin("POST", path, body));
			}
			const inside = await run("gates", "explain", "asked", "GET", "/in");
			assert.match(inside.stdout, /^rule +1: \* \/in needs signed-in$/m);
			const { stdout } = await run("gates", "explain", "asked", "GET", "/out");
			assert.match(stdout, /^allowed +false\ncode +gate\.no_rule\n/);
		});

		test("refuse an application without a gate, and unknown or malformed callers", async () => {
			await addApplication(service, { name: "Ungated" });
			const { id } = await addApplication(service);
			await addGate(service, {}, id);
			await assertRefused(["gates", "show", "ungated"], 3, /the application has no gate/);
			await assertRefused(["gates", "show", "nowhere"], 3, /there is no application "nowhere"/);
			const explain = ["gates", "explain", id, "GET", "/"];
			await assertRefused([...explain, "--caller", "person:nobody"], 3, /there is no user "nobody"/);
			await assertRefused([...explain, "--caller", "robot:x"], 2, /--caller must be partner:<name>, or /);
			await assertRefused(["gates", "explain", id, "G T", "/"], 2, /method must be/);
		});
	});

	describe("mail", () => {
		test("resend refuses a sent mail, and an address without mails", async () => {
			const person = await submit(service);
			const [mail] = await eventually(
				() => json("mail", "list", "--to", person.email, "--state", "sent"),
				({ length }) => length === 1,
			);
			await assertRefused(["mail", "resend", mail.id], 4, /was sent already/);
			await assertRefused(["mail", "resend", person.email], 3, /there is no unsent mail/);
		});
	});

	describe("stats", () => {
		test("counts each step, with counts by code", async () => {
			await service.call("POST", "/api/v1/auth/login", { body: { username: "nobody", password: "wrong" } });
			const [last] = await eventually(
				async () => (await json("stats")).slice(-1),
				([step]) => step.refused_sign_ins["credentials.invalid"] > 0,
			);
			assert.ok(last.refused_sign_ins["credentials.invalid"] >= 1, JSON.stringify(last));
			const text = await run("stats", "--step", "day");
			assert.match(text.stdout, /^at +sign_ins +refused_sign_ins +/);
			assert.match(text.stdout, /credentials\.invalid=[1-9]/);
			assert.equal(text.stdout.trimEnd().split("\n").length, 32);
		});

		test("refuses an unknown step, a time without a zone, and a range that ends before it begins", async () => {
			await assertRefused(["stats", "--step", "week"], 2, /--step week must be one of hour, day/);
			await assertRefused(["stats", "--from", "2026-11-20"], 2, /from must/);
			const to = ["--from", "2020-02-02T00:00:00Z", "--to", "2020-02-01T00:00:00Z"];
			await assertRefused(["stats", ...to], 2, /from must be before to/);
		});
	});

	test("escapes control characters in names", async () => {
		await submit(service, { project_name: "red \u009b31m alert" });
		const text = await run("requests", "list");
		const objects = await run("requests", "list", "--json");
		assert.ok(text.stdout.includes("red ?31m alert") && !objects.stdout.includes("\u009b"), text.stdout);
	});
});
