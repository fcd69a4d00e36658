import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, type Person } from "../../harness/people.ts";
import { addSecondTenant, type SecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users";
const PASSWORD = "quite a long password";

describe("POST /api/v1/users", () => {
	let service: TestService;
	let plainAdmin: Person;
	let other: SecondTenant;
	before(async () => {
		service = await startTestService();
		plainAdmin = await addPerson(service, "plain-admin", { roles: ["admin"] });
		other = await addSecondTenant(service);
	});
	after(() => service.stop());

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
		it("creates an account from the required fields, which can sign in", async () => {
			const { status, body } = await create(named("ada"));
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at, ...rest } = body.data;
			assert.deepEqual(rest, {
				username: "ada",
				email: "ada@example.org",
				email_verified: false,
				display_name: "",
				avatar_url: "",
				status: "active",
				roles: [],
				locale: null,
				mfa_enabled: false,
				last_login_at: null,
			});
			assert.equal(created_at, updated_at);
			assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
			assert.match(tenant_id, /^[0-9a-f-]{36}$/);
			await service.tokenOf("ADA", PASSWORD);
			await service.tokenOf("Ada@Example.org", PASSWORD);
			assert.deepEqual((await auditOf(service, `user:${id}`))[0]?.details, {
				username: "ada",
				roles: [],
				status: "active",
			});
		});

		it("creates an invited user instead, and mails the link", async () => {
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

		it("takes every field, brings it to its form, and ignores what is the server's", async () => {
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
				mfa_enabled: false,
				last_login_at: null,
			});
			assert.notEqual(id, "0190a0a0-0000-7000-8000-000000000000");
			assert.notEqual(tenant_id, other.id);
			assert.ok(created_at > "2020");
		});

		it("takes each field at its limit", async () => {
			const email = `${"e".repeat(64)}@${`${"d".repeat(60)}.`.repeat(3)}exampl`;
			assert.equal(email.length, 254);
			for (const body of [
				named("abc"),
				named(`a${"z".repeat(63)}`, { email }),
				named("max-display", { display_name: "😀".repeat(100) }),
				named("max-url", { avatar_url: `https://img.example/${"x".repeat(2028)}` }),
			]) {
				assert.equal((await create(body)).status, 201, JSON.stringify(body));
			}
		});

		it("allows another tenant the same name and address", async () => {
			assert.equal((await create(named("shared"))).status, 201);
			const answer = await create(named("shared"), other.adminToken);
			assert.equal(answer.status, 201);
			assert.equal(answer.body.data.tenant_id, other.id);
		});

		it("lets a plain admin promote admins", async () => {
			const answer = await create(named("third-admin", { roles: ["admin"] }), plainAdmin.token);
			assert.deepEqual([answer.status, answer.body.data.roles], [201, ["admin"]]);
		});
	});

	describe("400", () => {
		const refused: readonly [string, Record<string, unknown>][] = [
			["username", { username: "ab" }],
			["username", { username: "a".repeat(65) }],
			["username", { username: "-abc" }],
			["username", { username: "a b c" }],
			["username", { username: "äbc" }],
			["username", { username: "a@b.example" }],
			["username", { username: 123 }],
			["username", { username: undefined }],
			["email", { email: "nobody" }],
			["email", { email: "a@b@c.example" }],
			["email", { email: `${"e".repeat(64)}@${`${"d".repeat(60)}.`.repeat(3)}example` }],
			["email", { email: "jürgen@example.org" }],
			["email", { email: "a@b.example, c@d.example" }],
			["email", { email: undefined }],
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
			["invite", { password: undefined, invite: "yes" }],
			["display_name", { display_name: "x".repeat(101) }],
			["display_name", { display_name: null }],
			["display_name", { display_name: "a\0b" }],
			["avatar_url", { avatar_url: "javascript:alert(1)" }],
			["avatar_url", { avatar_url: "https://user:pass@img.example/" }],
			["avatar_url", { avatar_url: `https://img.example/${"x".repeat(2029)}` }],
			["roles.0", { roles: ["root"] }],
			["roles", { roles: ["admin", "admin"] }],
			["roles", { roles: "admin" }],
			["status", { status: "gone" }],
			["email_verified", { email_verified: "yes" }],
		];
		for (const [field, change] of refused) {
			it(`refuses ${JSON.stringify(change).slice(0, 60)} and names ${field}`, async () => {
				const body = {
					username: "refused-user",
					email: "refused@example.org",
					password: PASSWORD,
					...change,
				};
				const answer = await create(body);
				assert.equal(answer.status, 400);
				assert.deepEqual(
					answer.body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			});
		}

		it("refuses a body that is no JSON object", async () => {
			for (const body of ["{", "[]", '"x"', "null", ""]) assert.equal((await create(body)).status, 400, body);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", PATH, { body: named("nobody") })).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins only, and decides before the body is checked", async () => {
			const [auditor, reviewer, plain] = await Promise.all([
				addPerson(service, "auditor", { roles: ["auditor"] }),
				addPerson(service, "reviewer", { roles: ["reviewer"] }),
				addPerson(service, "plain"),
			]);
			for (const { token } of [auditor, reviewer, plain]) {
				const answer = await create("{", token);
				assert.deepEqual([answer.status, answer.body.code], [403, "role.required"]);
			}
		});

		it("lets only a platform admin make a platform admin", async () => {
			for (const token of [plainAdmin.token, other.adminToken]) {
				const answer = await create(named("climber", { roles: ["platform_admin"] }), token);
				assert.deepEqual([answer.status, answer.body.code], [403, "role.required"]);
			}
		});
	});

	describe("409", () => {
		it("refuses a taken username in any case, and a taken address", async () => {
			await create(named("taken"));
			const byName = await create(named("TAKEN", { email: "free@example.org" }));
			assert.deepEqual([byName.status, byName.body.code], [409, "username.taken"]);
			const byEmail = await create(named("free", { email: "Taken@Example.org" }));
			assert.deepEqual([byEmail.status, byEmail.body.code], [409, "email.taken"]);
		});

		it("refuses to invite an address that receives no mail, and creates nothing", async () => {
			const { password: _, ...fields } = named("nowhere", { email: "nowhere@people.invalid" });
			const answer = await create({ ...fields, invite: true });
			assert.deepEqual([answer.status, answer.body.code], [409, "user.invite_unusable"]);
			assert.equal((await create(named("nowhere"))).status, 201);
		});

		it("creates one account from several simultaneous requests", async () => {
			const answers = await Promise.all(
				Array.from({ length: 20 }, (_, n) => create(named("crowd", { email: `crowd-${n}@example.org` }))),
			);
			const statuses = answers.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 201).length, 1);
			assert.equal(statuses.filter((status) => status === 409).length, 19);
		});
	});
});
