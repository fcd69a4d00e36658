import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { FAILURES_BEFORE_LOCK } from "../../../src/domain/sign-in-attempt.ts";
import { addPerson, auditOf, lockCodes, lockPassword } from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { BodyOfRow } from "../../harness/service/wire-body.ts";

const PATH = "/api/v1/users";
const PASSWORD = "quite a long password";

const service = testService();

// The lists contain every user of the tenant, so this suite runs before the one that adds more.
describe("GET /api/v1/users", () => {
	const auditor = fixture(() => addPerson(service, "auditor", { roles: ["auditor"] }));
	before(async () => {
		await addPerson(service, "reviewer", { roles: ["reviewer", "auditor"] });
		await service.addUser({
			username: "Ada",
			email: "lovelace@example.org",
			password: "analytical engine",
			display_name: "100% Ada_L \\ Ünal",
			status: "disabled",
		});
		await service.addUser({
			username: "carl",
			email: "carl@example.org",
			password: "a gaussian curve",
			display_name: "1000 AdaXL",
		});
	});
	const other = fixture(() => addSecondTenant(service));

	const list = async (query = "", token?: string) =>
		service.call<BodyOfRow<"GET /api/v1/users">>("GET", `${PATH}${query}`, {
			token: token ?? (await service.adminToken()),
		});
	const names = async (query: string): Promise<string[]> => {
		const { status, body } = await list(query);
		assert.equal(status, 200);
		assert.equal(body.total, body.data.length);
		return body.data.map(({ username }) => username);
	};

	describe("200", () => {
		it("lists the users of the tenant, newest first, with every field of a user", async () => {
			assert.deepEqual(await names(""), ["carl", "Ada", "reviewer", "auditor", "admin"]);
			const { body } = await list();
			assert.deepEqual([body.page, body.page_size], [1, 20]);
			assert.deepEqual(Object.keys(body.data[0] ?? {}).toSorted(), [
				"avatar_url",
				"created_at",
				"disabled_reason",
				"display_name",
				"email",
				"email_verified",
				"id",
				"last_login_at",
				"locale",
				"mfa_enabled",
				"roles",
				"status",
				"tenant_id",
				"updated_at",
				"username",
			]);
		});

		it("returns pages with the exact total", async () => {
			const page = (await list("?page=2&page_size=2")).body;
			assert.deepEqual(
				[page.total, page.page, page.page_size, page.data.map((user) => user.username)],
				[5, 2, 2, ["reviewer", "auditor"]],
			);
			const beyond = (await list("?page=9&page_size=100")).body;
			assert.deepEqual([beyond.total, beyond.data], [5, []]);
		});

		it("sorts by age, name, username and last sign-in, ascending and descending, with any filter", async () => {
			// "100% Ada_L", "1000 AdaXL"; the others are named as their usernames.
			assert.deepEqual(await names("?sort=name"), ["Ada", "carl", "admin", "auditor", "reviewer"]);
			assert.deepEqual(await names("?sort=-name"), ["reviewer", "auditor", "admin", "carl", "Ada"]);
			assert.deepEqual(await names("?sort=username"), ["Ada", "admin", "auditor", "carl", "reviewer"]);
			assert.deepEqual(await names("?sort=-username"), ["reviewer", "carl", "auditor", "admin", "Ada"]);
			assert.deepEqual(await names("?sort=newest"), await names(""));
			assert.deepEqual(await names("?sort=oldest"), (await names("")).toReversed());
			assert.deepEqual(await names("?sort=oldest&status=active"), ["admin", "auditor", "reviewer", "carl"]);
			assert.deepEqual(await names("?sort=oldest&q=example.org"), ["Ada", "carl"]);
			assert.deepEqual(await names("?sort=-name&status=active"), ["reviewer", "auditor", "admin", "carl"]);
			assert.deepEqual(await names("?sort=-username&role=auditor"), ["reviewer", "auditor"]);
			assert.deepEqual(await names("?sort=username&q=example.org"), ["Ada", "carl"]);
			assert.deepEqual(await names("?sort=name&status=disabled"), ["Ada"]);
			assert.deepEqual((await names("?sort=last_login_at")).slice(0, 2).toSorted(), ["Ada", "carl"]);
			assert.deepEqual((await names("?sort=-last_login_at")).slice(3).toSorted(), ["Ada", "carl"]);
			const lastLogins = (await list("?sort=-last_login_at")).body.data.map(
				(user) => user.last_login_at ?? "",
			);
			assert.deepEqual(lastLogins, lastLogins.toSorted().reverse());
			const page = (await list("?sort=username&page=2&page_size=2")).body;
			assert.deepEqual([page.total, page.data.map(({ username }) => username)], [5, ["auditor", "carl"]]);
		});

		it("filters by status and by role, and by both", async () => {
			assert.deepEqual(await names("?status=disabled"), ["Ada"]);
			assert.deepEqual(await names("?role=auditor"), ["reviewer", "auditor"]);
			assert.deepEqual(await names("?role=admin"), ["admin"]);
			assert.deepEqual(await names("?role=platform_admin"), ["admin"]);
			assert.deepEqual(await names("?role=auditor&status=disabled"), []);
			assert.deepEqual(await names("?role=&status=&q="), ["carl", "Ada", "reviewer", "auditor", "admin"]);
		});

		it("finds parts of username, email address, and display name in any case", async () => {
			assert.deepEqual(await names("?q=ADA"), ["carl", "Ada"]);
			assert.deepEqual(await names("?q=lovel"), ["Ada"]);
			assert.deepEqual(await names("?q=%20carl%20"), ["carl"]);
			assert.deepEqual(await names("?q=example.org&status=active"), ["carl"]);
			assert.deepEqual(await names("?q=nobody"), []);
		});

		it("treats %, _, backslash and quotes literally", async () => {
			assert.deepEqual(await names(`?q=${encodeURIComponent("100%")}`), ["Ada"]);
			assert.deepEqual(await names(`?q=${encodeURIComponent("ada_l")}`), ["Ada"]);
			assert.deepEqual(await names(`?q=${encodeURIComponent("\\")}`), ["Ada"]);
			assert.deepEqual(await names(`?q=${encodeURIComponent("%")}`), ["Ada"]);
			assert.deepEqual(await names(`?q=${encodeURIComponent("_")}`), ["Ada"]);
			assert.deepEqual(await names(`?q=${encodeURIComponent("' OR 1=1 --")}`), []);
		});

		it("ignores case, accents, and width, in every script and after every change of a name", async () => {
			const find = (q: string) => names(`?q=${encodeURIComponent(q)}`);
			for (const q of ["Ünal", "ünal", "UNAL", "U\u0308nal", "ＵＮＡＬ"])
				assert.deepEqual(await find(q), ["Ada"], q);
			for (const q of ["１００％", "100％ ada＿l"]) assert.deepEqual(await find(q), ["Ada"], q);
			const token = await service.adminToken();
			const person = await addPerson(service, "zoe", { display_name: "Þórður Straße-Łę" });
			for (const q of ["thordur", "Þor", "strasse", "STRAẞE-le", "ZOË"])
				assert.deepEqual(await find(q), ["zoe"], q);
			const rename = { token, body: { display_name: "Nguyễn Văn Đức" } };
			assert.equal((await service.call("PATCH", `${PATH}/${person.id}`, rename)).status, 200);
			assert.deepEqual([await find("van duc"), await find("strasse")], [["zoe"], []]);
			const own = { token: person.token, body: { display_name: "王小明 (Émile)" } };
			assert.equal((await service.call("PATCH", `${PATH}/me`, own)).status, 200);
			assert.deepEqual([await find("小明 (emile"), await find("duc")], [["zoe"], []]);
			assert.equal((await service.call("DELETE", `${PATH}/${person.id}`, { token })).status, 204);
			assert.deepEqual(await find("emile"), []);
		});

		it("sorts names by their letters without case and accents", async () => {
			const ids = [];
			for (const [username, display_name] of [
				["first", "Zoë"],
				["second", "émile"],
				["third", "Einar"],
				["fourth", "zebra"],
			] as const)
				ids.push((await addPerson(service, username, { display_name: `${display_name} of order` })).id);
			const order = ["third", "second", "fourth", "first"];
			assert.deepEqual(await names("?q=of+order&sort=name"), order);
			assert.deepEqual(await names("?q=of+order&sort=-name"), order.toReversed());
			const all = (await list("?sort=name")).body.data.map(({ username }) => username);
			assert.deepEqual(
				all.filter((name) => order.includes(name)),
				order,
			);
			for (const id of ids) await service.asAdmin("DELETE", `${PATH}/${id}`);
		});

		it("treats a text of accents alone like an empty one", async () => {
			assert.equal((await names(`?q=${encodeURIComponent("\u0301")}`)).length, 5);
		});

		it("finds one user by email address or username in any case, and trims blanks", async () => {
			assert.deepEqual(await names("?email=lovelace%40example.org"), ["Ada"]);
			assert.deepEqual(await names("?email=%20LOVELACE@Example.org%20"), ["Ada"]);
			assert.deepEqual(await names("?username=Ada"), ["Ada"]);
			assert.deepEqual(await names("?username=%20aDA%20"), ["Ada"]);
			assert.deepEqual(await names("?username=ad"), []);
			assert.deepEqual(await names("?username=%25"), []);
			assert.deepEqual(await names("?email=ace@example.org"), []);
			assert.deepEqual(await names("?email=lovelace@example.org&username=carl"), []);
			assert.deepEqual(await names("?email=lovelace@example.org&status=active"), []);
			const { body } = await list("?email=lovelace@example.org", other.adminToken);
			assert.deepEqual([body.total, body.data], [0, []]);
		});

		it("finds users whose last sign-in is before a time, and those who never signed in", async () => {
			const before = new Date(service.clock.now()).toISOString();
			service.clock.advance(60_000);
			const since = new Date(service.clock.now()).toISOString();
			// Ada and Carl never signed in.
			assert.deepEqual(await names(`?inactive_since=${since}`), [
				"carl",
				"Ada",
				"reviewer",
				"auditor",
				"admin",
			]);
			assert.deepEqual(await names(`?inactive_since=${since}&status=disabled`), ["Ada"]);
			await service.tokenOf("carl", "a gaussian curve");
			assert.deepEqual(await names(`?inactive_since=${since}&q=example.org`), ["Ada"]);
			assert.deepEqual(await names("?inactive_since=1970-01-01T00:00:00Z"), []);
			const all = await names(`?inactive_since=${encodeURIComponent(before.replace("Z", "+00:00"))}`);
			assert.ok(!all.includes("carl"));
			assert.equal((await names("?inactive_since=")).length, 5);
			const { body } = await list(`?inactive_since=${since}`, other.adminToken);
			assert.deepEqual(
				body.data.map(({ id }) => id),
				[other.adminId],
			);
		});

		it("finds users with and without a lock of password or codes", async () => {
			const eve = await addPerson(service, "eve");
			const fay = await addPerson(service, "fay");
			assert.deepEqual(await names("?locked=true"), []);
			await lockPassword(service, eve);
			await lockPassword(service, auditor, FAILURES_BEFORE_LOCK - 1);
			await lockCodes(service, fay);
			assert.deepEqual(await names("?locked=true"), ["fay", "eve"]);
			assert.deepEqual(await names("?locked=true&username=EVE"), ["eve"]);
			assert.deepEqual(await names("?locked=true&status=disabled"), []);
			assert.deepEqual(await names("?locked=false"), ["carl", "Ada", "reviewer", "auditor", "admin"]);
			assert.deepEqual((await list("?locked=true", other.adminToken)).body.total, 0);
			for (const { id } of [eve, fay]) {
				assert.equal((await service.callAsAdmin("POST", `${PATH}/${id}/unlock`)).status, 204);
				assert.ok(!(await names("?locked=true")).includes(id === eve.id ? "eve" : "fay"));
				await service.asAdmin("DELETE", `${PATH}/${id}`);
			}
		});
	});
});

describe("POST /api/v1/users", () => {
	const plainAdmin = fixture(() => addPerson(service, "plain-admin", { roles: ["admin"] }));
	const other = fixture(() => addSecondTenant(service));

	const create = async (body: unknown, token?: string) =>
		service.call("POST", PATH, {
			token: token ?? (await service.adminToken()),
			body,
			headers: { accept: "application/problem+json" },
		});
	const named = (username: string, more: Record<string, unknown> = {}) => ({
		username,
		email: `${username}@example.org`,
		password: PASSWORD,
		...more,
	});

	describe("201", () => {
		it("creates an account that can sign in from the required fields", async () => {
			const { status, body } = await create(named("abe"));
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at, ...rest } = body.data;
			assert.deepEqual(rest, {
				username: "abe",
				email: "abe@example.org",
				email_verified: false,
				display_name: "",
				avatar_url: "",
				status: "active",
				disabled_reason: null,
				roles: [],
				locale: null,
				mfa_enabled: false,
				last_login_at: null,
			});
			assert.equal(created_at, updated_at);
			assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
			assert.match(tenant_id, /^[0-9a-f-]{36}$/);
			await service.tokenOf("ABE", PASSWORD);
			await service.tokenOf("Abe@Example.org", PASSWORD);
			assert.deepEqual((await auditOf(service, `user:${id}`))[0]?.details, {
				username: "abe",
				roles: [],
				status: "active",
			});
		});

		it("creates an invited user, and mails the link", async () => {
			const { password: _, ...fields } = named("guest", { roles: ["auditor"] });
			const { status, body } = await create({ ...fields, invite: true });
			assert.deepEqual([status, body.data.status, body.data.roles], [201, "invited", ["auditor"]]);
			const [mail] = await service.mailsTo("guest@example.org");
			assert.match(mail?.text ?? "", /\/invite#[A-Za-z0-9_-]{43}/);
			assert.doesNotMatch(JSON.stringify(body), /invite#/);
			const events = await auditOf(service, `user:${body.data.id}`);
			assert.deepEqual(events.map(({ action }) => action).toSorted(), ["user.created", "user.invited"]);
			assert.deepEqual(events.find(({ action }) => action === "user.created")?.details, {
				username: "guest",
				roles: ["auditor"],
				status: "invited",
			});
		});

		it("accepts every field, normalizes it, and ignores read-only fields", async () => {
			const { status, body } = await create({
				username: "  Bob.B-1  ",
				email: " Bob@Example.ORG ",
				password: PASSWORD,
				display_name: "  Bob  ",
				avatar_url: "https://img.example/bob.png",
				roles: ["platform_admin", "auditor", "admin"],
				status: "disabled",
				email_verified: true,
				id: "0190a0a0-0000-7000-8000-000000000000",
				tenant_id: other.id,
				mfa_enabled: true,
				created_at: "2001-01-01T00:00:00Z",
			});
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at: _, ...rest } = body.data;
			assert.deepEqual(rest, {
				username: "Bob.B-1",
				email: "bob@example.org",
				email_verified: true,
				display_name: "Bob",
				avatar_url: "https://img.example/bob.png",
				status: "disabled",
				roles: ["admin", "auditor", "platform_admin"],
				locale: null,
				disabled_reason: null,
				mfa_enabled: false,
				last_login_at: null,
			});
			assert.notEqual(id, "0190a0a0-0000-7000-8000-000000000000");
			assert.notEqual(tenant_id, other.id);
			assert.ok(created_at > "2020");
		});

		it("accepts each field at its limit", async () => {
			const email = `${"e".repeat(64)}@${`${"d".repeat(60)}.`.repeat(3)}exampl`;
			assert.equal(email.length, 254);
			for (const body of [
				named("abc"),
				named(`a${"z".repeat(63)}`, { email }),
				named("max-display", { display_name: "😀".repeat(99).concat("a") }),
				named("max-url", { avatar_url: `https://img.example/${"x".repeat(2028)}` }),
			]) {
				assert.equal((await create(body)).status, 201, JSON.stringify(body));
			}
		});

		it("allows another tenant the same name and address", async () => {
			assert.equal((await create(named("shared"))).status, 201);
			const response = await create(named("shared"), other.adminToken);
			assert.equal(response.status, 201);
			assert.equal(response.body.data.tenant_id, other.id);
		});

		it("lets a plain admin create admins", async () => {
			const response = await create(named("third-admin", { roles: ["admin"] }), plainAdmin.token);
			assert.deepEqual([response.status, response.body.data.roles], [201, ["admin"]]);
		});
	});

	describe("400", () => {
		const refused: readonly [string, Record<string, unknown>][] = [
			["password", { password: "1234567" }],
			["password", { password: "x".repeat(73) }],
			["password", { password: "qwertyuiop" }],
			["password", { password: "refused-user" }],
			["password", { password: "Refused@example.org" }],
			["password", { password: undefined }],
			["password", { password: undefined, invite: false }],
			["password", { invite: true }],
			["status", { password: undefined, invite: true, status: "active" }],
			["status", { status: "invited" }],
		];
		for (const [field, change] of refused) {
			it(`rejects ${JSON.stringify(change).slice(0, 60)} and names ${field}`, async () => {
				const body = {
					username: "refused-user",
					email: "refused@example.org",
					password: PASSWORD,
					...change,
				};
				const response = await create(body);
				assert.equal(response.status, 400);
				assert.deepEqual(
					response.body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			});
		}
	});

	describe("403", () => {
		it("lets only a platform admin create a platform admin", async () => {
			for (const token of [plainAdmin.token, other.adminToken]) {
				const response = await create(named("climber", { roles: ["platform_admin"] }), token);
				assert.deepEqual([response.status, response.body.code], [403, "role.required"]);
			}
		});
	});

	describe("409", () => {
		it("rejects a taken username in any case, and a taken address", async () => {
			await create(named("taken"));
			const byName = await create(named("TAKEN", { email: "free@example.org" }));
			assert.deepEqual([byName.status, byName.body.code], [409, "username.taken"]);
			const byEmail = await create(named("free", { email: "Taken@Example.org" }));
			assert.deepEqual([byEmail.status, byEmail.body.code], [409, "email.taken"]);
		});

		it("rejects an invitation to an address that receives no mail, and creates nothing", async () => {
			const { password: _, ...fields } = named("nowhere", { email: "nowhere@people.invalid" });
			const response = await create({ ...fields, invite: true });
			assert.deepEqual([response.status, response.body.code], [409, "user.invite_unusable"]);
			assert.equal((await create(named("nowhere"))).status, 201);
		});

		it("creates one account on concurrent requests", async () => {
			const responses = await Promise.all(
				Array.from({ length: 20 }, (_, n) => create(named("crowd", { email: `crowd-${n}@example.org` }))),
			);
			const statuses = responses.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 201).length, 1);
			assert.equal(statuses.filter((status) => status === 409).length, 19);
		});
	});
});
