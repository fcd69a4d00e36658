import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ABSENT_ID, addApiClient, addApplication, addRole, putGrant } from "../../harness/applications.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertHttpsOnly,
	assertUnsigned,
	type Client,
	problem,
	type SignedCall,
} from "../../harness/signed-endpoint.ts";

const PATH = "/access/v1/evaluation";

let service: TestService;
let client: Client;
let ada: Person;
let call: SignedCall;
const question = (name = "orders:read", subject = ada.id, resource = client.app_id) => ({
	subject: { type: "user", id: subject },
	action: { name },
	resource: { type: "application", id: resource },
});
before(async () => {
	service = await startTestService();
	const { id: app_id } = await addApplication(service);
	client = await addApiClient(service, { app_id });
	ada = await addPerson(service, "ada");
	await addRole(service, app_id, "reader", ["orders:read"]);
	await putGrant(service, app_id, ada.id, ["reader"]);
	call = { method: "POST", path: PATH, body: question() };
});
after(() => service.stop());

const evaluate = (body: unknown, by: Client = client) => service.signed(by, "POST", PATH, { body });

describe("POST /access/v1/evaluation", () => {
	describe("200", () => {
		test("answers bare, with the decision and its reason", async () => {
			const { status, headers, body } = await evaluate(question());
			assert.deepEqual([status, body], [200, { decision: true, context: { reason: "ok" } }]);
			assert.match(String(headers["content-type"]), /^application\/json/);
		});

		test("takes the action's name as the permission; @access asks about the application alone", async () => {
			for (const [name, reason] of [
				["orders:write", "missing_permission"],
				["access", "missing_permission"],
				["*", "missing_permission"],
				["@access", "ok"],
				["@other", "missing_permission"],
			] as const) {
				const { body } = await evaluate(question(name));
				assert.deepEqual(body, { decision: reason === "ok", context: { reason } }, name);
			}
		});

		test("denies every subject that is no user of the tenant", async () => {
			const second = await addSecondTenant(service);
			for (const subject of [
				{ type: "user", id: ABSENT_ID },
				{ type: "user", id: ada.username },
				{ type: "user", id: second.adminId },
				{ type: "group", id: ada.id },
				{ type: "User", id: ada.id },
			]) {
				const { body } = await evaluate({ ...question(), subject });
				assert.deepEqual(body, { decision: false, context: { reason: "user_not_found" } });
			}
		});

		test("denies every resource that is no application, to clients that may ask about any", async () => {
			const overseer = await addApiClient(service, { scopes: ["access:check", "access:check:tenant"] });
			for (const resource of [
				{ type: "application", id: ABSENT_ID },
				{ type: "application", id: "orders" },
				{ type: "document", id: client.app_id },
			]) {
				const { body } = await evaluate({ ...question(), resource }, overseer);
				assert.deepEqual(body, { decision: false, context: { reason: "app_not_found" } });
			}
			assert.equal((await evaluate(question(), overseer)).body.decision, true);
		});

		test("carries the id the caller gave the request, if it is one", async () => {
			const idOf = async (given: string, path = PATH) => {
				const headers = { "x-request-id": given };
				const answer = await service.signed(client, "POST", path, { body: question(), headers });
				return answer.headers["x-request-id"];
			};
			const given = "bfe9eb29-ab87-4ca3-be83-a1d5d8305716";
			assert.equal(await idOf(given), given);
			assert.notEqual(await idOf("two words"), "two words");
			assert.notEqual(await idOf("x".repeat(129)), "x".repeat(129));
			assert.notEqual(await idOf(given, "/api/v1/external/users/check-access"), given);
		});

		test("takes ids in upper case, properties and a context, and ignores what it does not know", async () => {
			const { subject, action, resource } = question();
			const properties = { department: "Sales" };
			const { body } = await evaluate({
				subject: { ...subject, id: ada.id.toUpperCase(), properties },
				action: { ...action, properties },
				resource: { ...resource, id: client.app_id.toUpperCase(), properties },
				context: { time: "1985-10-26T01:22-07:00" },
				decision: false,
			});
			assert.equal(body.decision, true);
		});
	});

	describe("400", () => {
		test("a part that is missing or of a wrong type", async () => {
			const { subject, action, resource } = question();
			for (const body of [
				{},
				{ subject, action },
				{ subject, resource },
				{ action, resource },
				{ ...question(), subject: ada.id },
				{ ...question(), subject: { id: ada.id } },
				{ ...question(), subject: { type: "user" } },
				{ ...question(), subject: { type: "user", id: 7 } },
				{ ...question(), action: {} },
				{ ...question(), action: { name: "" } },
				{ ...question(), action: { name: "p".repeat(129) } },
				{ ...question(), resource: { type: "application", id: "x".repeat(257) } },
				{ ...question(), context: "none" },
			])
				assert.equal(
					await problem(service, client, { ...call, body }),
					"400 request.invalid",
					JSON.stringify(body),
				);
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, call));
	});

	describe("403", () => {
		test("an address that is not on the allowlist", async () => {
			const { app_id } = client;
			const elsewhere = await addApiClient(service, { app_id, ip_allowlist: ["192.0.2.0/24"] });
			assert.equal(await problem(service, elsewhere, call), "403 ip.not_allowed");
			const here = await addApiClient(service, { app_id, ip_allowlist: ["127.0.0.1"] });
			assert.equal((await evaluate(question(), here)).status, 200);
		});

		test("without access:check", async () => {
			const tenantWide = await addApiClient(service, { scopes: ["users:read", "access:check:tenant"] });
			assert.equal(await problem(service, tenantWide, call), "403 scope.missing");
		});

		test("another application without access:check:tenant, whether it is there or not", async () => {
			const other = await addApplication(service);
			for (const id of [other.id, ABSENT_ID, "x"])
				assert.equal(
					await problem(service, client, { ...call, body: question("@access", ada.id, id) }),
					"403 scope.missing",
				);
		});
	});

	describe("426", () => {
		test("plain HTTP, also for what is not there", async () => {
			await assertHttpsOnly(service, call);
			assert.equal((await service.call("GET", "/access/v1/nothing")).status, 426);
			assert.equal((await service.call("GET", "/access/v1/nothing", { https: true })).status, 404);
		});
	});
});
