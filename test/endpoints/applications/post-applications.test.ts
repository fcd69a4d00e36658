import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/applications", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const create = (body: unknown, token = cast.admin) => service.call("POST", APPLICATIONS, { token, body });

	describe("201", () => {
		it("creates an application without grants from a name alone, and audits it", async () => {
			const { status, body } = await create({ name: "  Order Desk  " });
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at, ...rest } = body.data;
			assert.deepEqual(rest, {
				name: "Order Desk",
				slug: "order-desk",
				description: "",
				homepage_url: "",
				logo_url: "",
				redirect_uris: [],
				access_policy: "assigned",
				status: "active",
				require_mfa: false,
			});
			assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
			assert.match(tenant_id, /^[0-9a-f-]{36}$/);
			assert.equal(created_at, updated_at);
			const audit = await auditOf(service, `application:${id}`);
			assert.deepEqual(
				audit.map(({ action, details }) => [action, details]),
				[
					[
						"application.created",
						{ name: "Order Desk", slug: "order-desk", access_policy: "assigned", status: "active" },
					],
				],
			);
			assert.match(audit[0]?.actor ?? "", /^user:/);
		});

		it("accepts every field, and ignores server-assigned fields", async () => {
			const fields = {
				name: "Everything",
				slug: "every-thing-2",
				description: "All of it.",
				homepage_url: "https://every.example/",
				logo_url: "https://every.example/logo.png",
				redirect_uris: ["https://every.example/cb?x=%2f", "http://localhost:3000/cb"],
				access_policy: "open",
				status: "disabled",
				require_mfa: true,
			};
			const { status, body } = await create({
				...fields,
				id: ABSENT_ID,
				tenant_id: cast.other.id,
				created_at: "2001-01-01T00:00:00Z",
				updated_at: "2001-01-01T00:00:00Z",
			});
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at: _, ...rest } = body.data;
			assert.deepEqual(rest, fields);
			assert.notEqual(id, ABSENT_ID);
			assert.notEqual(tenant_id, cast.other.id);
			assert.ok(created_at > "2020");
		});

		it("accepts each field at its limit", async () => {
			const uri = (length: number, index = 0) => `https://a.example/${index}/`.padEnd(length, "x");
			for (const body of [
				{ name: "😀".repeat(200) },
				{ name: "Max slug", slug: "s".repeat(64) },
				{ name: "Max text", description: "d".repeat(2000) },
				{ name: "Max url", homepage_url: uri(2048) },
				{ name: "Max uri", redirect_uris: [uri(2048)] },
				{ name: "Max uris", redirect_uris: Array.from({ length: 20 }, (_, index) => uri(100, index)) },
			]) {
				const answer = await create(body);
				assert.equal(answer.status, 201, JSON.stringify(answer.body));
			}
		});

		it("generates a free slug for a name that is taken or has no ASCII", async () => {
			const slugs: string[] = [];
			for (const name of ["Twin", "Twin", "twin!", "商店", "商店"]) {
				const { status, body } = await create({ name });
				assert.equal(status, 201);
				slugs.push(body.data.slug);
			}
			assert.equal(new Set(slugs).size, 5);
			assert.equal(slugs[0], "twin");
			assert.match(slugs[1] ?? "", /^twin-[0-9a-f]{8}$/);
			assert.match(slugs[4] ?? "", /^app-[0-9a-f]{8}$/);
		});

		it("generates different slugs for fifty simultaneous requests with one name", async () => {
			const answers = await Promise.all(Array.from({ length: 50 }, () => create({ name: "Crowd" })));
			assert.ok(answers.every(({ status }) => status === 201));
			assert.equal(new Set(answers.map(({ body }) => body.data.slug)).size, 50);
		});

		it("allows another tenant the same slug", async () => {
			await create({ name: "Shared", slug: "shared" });
			const answer = await create({ name: "Shared", slug: "shared" }, cast.other.adminToken);
			assert.deepEqual([answer.status, answer.body.data.tenant_id], [201, cast.other.id]);
		});
	});

	describe("400", () => {
		it("names each field that is missing or wrong", async () => {
			const uris = Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`);
			for (const [body, field] of [
				[{}, "name"],
				[{ name: " " }, "name"],
				[{ name: 1 }, "name"],
				[{ name: null }, "name"],
				[{ name: "x".repeat(201) }, "name"],
				[{ name: "a\0b" }, "name"],
				[{ name: "X", slug: "Upper" }, "slug"],
				[{ name: "X", slug: "-a" }, "slug"],
				[{ name: "X", slug: "a--b" }, "slug"],
				[{ name: "X", slug: "" }, "slug"],
				[{ name: "X", slug: "s".repeat(65) }, "slug"],
				[{ name: "X", description: "d".repeat(2001) }, "description"],
				[{ name: "X", homepage_url: "javascript:alert(1)" }, "homepage_url"],
				[{ name: "X", homepage_url: `https://a.example/${"x".repeat(2031)}` }, "homepage_url"],
				[{ name: "X", logo_url: "logo.png" }, "logo_url"],
				[{ name: "X", redirect_uris: "https://a.example/" }, "redirect_uris"],
				[{ name: "X", redirect_uris: uris }, "redirect_uris"],
				[{ name: "X", redirect_uris: ["https://a.example/", 5] }, "redirect_uris.1"],
				[{ name: "X", redirect_uris: [`https://a.example/${"x".repeat(2031)}`] }, "redirect_uris.0"],
				[{ name: "X", redirect_uris: ["http://a.example/"] }, "redirect_uris.0"],
				[{ name: "X", redirect_uris: ["https://a.example/#x"] }, "redirect_uris.0"],
				[{ name: "X", redirect_uris: ["https://a.example/", " https://a.example/ "] }, "redirect_uris.1"],
				[{ name: "X", access_policy: "everyone" }, "access_policy"],
				[{ name: "X", status: "deleted" }, "status"],
			] as const) {
				const { status, code, fields } = await problemOf(service, "POST", APPLICATIONS, body);
				assert.deepEqual([status, code, fields], [400, "request.invalid", [field]], JSON.stringify(body));
			}
			assert.equal((await problemOf(service, "POST", APPLICATIONS, "{")).code, "request.malformed");
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", APPLICATIONS, { name: "X" }));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", APPLICATIONS, { name: "X" });
		});
	});

	describe("409", () => {
		it("refuses a slug that is taken", async () => {
			await addApplication(service, { slug: "taken" });
			const { status, code, fields } = await problemOf(service, "POST", APPLICATIONS, {
				name: "X",
				slug: "taken",
			});
			assert.deepEqual([status, code, fields], [409, "application.slug_taken", ["slug"]]);
		});

		it("accepts one of fifty simultaneous requests with one slug", async () => {
			const body = { name: "Race", slug: "race" };
			const answers = await Promise.all(Array.from({ length: 50 }, () => create(body)));
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
				201,
				...Array.from({ length: 49 }, () => 409),
			]);
		});
	});
});
