import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { FAILURES_BEFORE_LOCK } from "../../../src/domain/sign-in-attempt.ts";
import { addPerson, lockCodes, lockPassword, type Person } from "../../harness/people.ts";
import { addSecondTenant, type SecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import type { BodyOfRow } from "../../harness/wire-body.ts";

const PATH = "/api/v1/users";

describe("GET /api/v1/users", () => {
	let service: TestService;
	let auditor: Person;
	let other: SecondTenant;
	before(async () => {
		service = await startTestService();
		auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
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
		other = await addSecondTenant(service);
	});
	after(() => service.stop());

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
		it("lists the tenant's users, the newest first, in the form of a user", async () => {
			assert.deepEqual(await names(""), ["carl", "Ada", "reviewer", "auditor", "admin"]);
			const { body } = await list();
			assert.deepEqual([body.page, body.page_size], [1, 20]);
			assert.deepEqual(Object.keys(body.data[0] ?? {}).toSorted(), [
				"avatar_url",
				"created_at",
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

		it("lets an auditor read", async () => {
			assert.equal((await list("", auditor.token)).body.total, 5);
		});

		it("shows pages with the exact total", async () => {
			const page = (await list("?page=2&page_size=2")).body;
			assert.deepEqual(
				[page.total, page.page, page.page_size, page.data.map((user) => user.username)],
				[5, 2, 2, ["reviewer", "auditor"]],
			);
			const beyond = (await list("?page=9&page_size=100")).body;
			assert.deepEqual([beyond.total, beyond.data], [5, []]);
		});

		it("sorts by name, username and last sign-in, both ways, whatever the filter", async () => {
			// "100% Ada_L", "1000 AdaXL"; the others are named as their usernames.
			assert.deepEqual(await names("?sort=name"), ["Ada", "carl", "admin", "auditor", "reviewer"]);
			assert.deepEqual(await names("?sort=-name"), ["reviewer", "auditor", "admin", "carl", "Ada"]);
			assert.deepEqual(await names("?sort=username"), ["Ada", "admin", "auditor", "carl", "reviewer"]);
			assert.deepEqual(await names("?sort=-username"), ["reviewer", "carl", "auditor", "admin", "Ada"]);
			assert.deepEqual(await names("?sort=newest"), await names(""));
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

		it("finds parts of username, e-mail and display name without regard to case", async () => {
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

		it("finds non-ASCII letters in the given case only", async () => {
			assert.deepEqual(await names(`?q=${encodeURIComponent("Ünal")}`), ["Ada"]);
		});

		it("finds exactly one by e-mail or username, without regard to case and blanks around", async () => {
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

		it("finds who has not signed in since a time, or was created before it and never did", async () => {
			const before = new Date(service.clock.now()).toISOString();
			service.clock.advance(60_000);
			const since = new Date(service.clock.now()).toISOString();
			// Ada and carl never signed in.
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

		it("finds whose password or codes are locked, or not", async () => {
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
				const token = await service.adminToken();
				assert.equal((await service.call("POST", `${PATH}/${id}/unlock`, { token })).status, 204);
				assert.ok(!(await names("?locked=true")).includes(id === eve.id ? "eve" : "fay"));
				await service.call("DELETE", `${PATH}/${id}`, { token });
			}
		});

		it("never shows another tenant's users", async () => {
			const { body } = await list("", other.adminToken);
			assert.deepEqual(
				body.data.map(({ id }) => id),
				[other.adminId],
			);
			assert.equal(body.total, 1);
		});
	});

	describe("400", () => {
		const queries = [
			"page=0",
			"page_size=101",
			"status=gone",
			"role=user",
			"role=Admin",
			"status=active&status=disabled",
			`q=${"x".repeat(201)}`,
			"q=%00",
			"email=",
			"email",
			"email=%20",
			"email=lovelace",
			"email=lovelace@example.org&email=carl@example.org",
			`email=${"x".repeat(255)}@example.org`,
			"username=",
			"username=%20",
			"username=%00",
			`username=${"x".repeat(65)}`,
			"inactive_since=yesterday",
			"inactive_since=2026-01-01",
			"inactive_since=2026-01-01T00:00:00",
			"locked=yes",
			"locked=1",
			"sort=email",
			"sort=-newest",
			"sort=name,username",
			"e-mail=lovelace@example.org",
			"Email=lovelace@example.org",
		];
		for (const query of queries) {
			it(`refuses ?${query.slice(0, 40)}`, async () => {
				assert.equal((await list(`?${query}`)).status, 400);
			});
		}

		it("takes a q of exactly 200 characters", async () => {
			assert.deepEqual(await names(`?q=${encodeURIComponent("漢".repeat(200))}`), []);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", PATH)).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins and auditors only", async () => {
			const plain = await addPerson(service, "plain");
			const reviewer = await addPerson(service, "just-reviewer", { roles: ["reviewer"] });
			for (const { token } of [plain, reviewer]) assert.equal((await list("", token)).status, 403);
		});
	});
});
