// Access evaluation by the AuthZEN Authorization API 1.0: one, several, and the discovery document.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../../harness/access/applications.ts";
import {
	assertHttpsOnly,
	type Client,
	problem,
	type SignedCall,
} from "../../harness/access/signed-endpoint.ts";
import { addPerson } from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const service = testService({ env: { LATCHKEY_PUBLIC_URL: "https://auth.example.com" } });
const ada = fixture(() => addPerson(service, "ada"));

/** Can check access to every application of the tenant. */
const addOverseer = (): Promise<Client> =>
	addApiClient(service, { scopes: ["access:check", "access:check:tenant"] });
/** A client of a new application in which Ada is a reader. */
async function addReading(): Promise<Client> {
	const { id: app_id } = await addApplication(service);
	await addRole(service, app_id, "reader", ["orders:read"]);
	await putGrant(service, app_id, ada.id, ["reader"]);
	return addApiClient(service, { app_id });
}

describe("POST /access/v1/evaluation", () => {
	const PATH = "/access/v1/evaluation";

	let client: Client;
	let call: SignedCall;
	const question = (name = "orders:read", subject = ada.id, resource = client.app_id) => ({
		subject: { type: "user", id: subject },
		action: { name },
		resource: { type: "application", id: resource },
	});
	before(async () => {
		client = await addReading();
		call = { method: "POST", path: PATH, body: question() };
	});

	const evaluate = (body: unknown, by: Client = client) => service.signed(by, "POST", PATH, { body });

	describe("200", () => {
		it("returns the decision and its reason without an envelope", async () => {
			const { status, headers, body } = await evaluate(question());
			assert.deepEqual([status, body], [200, { decision: true, context: { reason: "ok" } }]);
			assert.match(String(headers["content-type"]), /^application\/json/);
		});

		it("reads the name of the action as the permission, and @access as access to the application", async () => {
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

		it("denies every subject that is not a user of the tenant", async () => {
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

		it("denies every resource that is not an application, to a client with access:check:tenant", async () => {
			const overseer = await addOverseer();
			for (const resource of [
				{ type: "application", id: ABSENT_ID },
				{ type: "application", id: "orders" },
				{ type: "todo", id: "7", properties: { application_id: ABSENT_ID } },
				{ type: "todo", id: "7", properties: { application_id: "orders" } },
			]) {
				const { body } = await evaluate({ ...question(), resource }, overseer);
				assert.deepEqual(body, { decision: false, context: { reason: "app_not_found" } });
			}
			assert.equal((await evaluate(question(), overseer)).body.decision, true);
		});

		it("decides about a resource of any type by the permissions of its application", async () => {
			const about = (name: string, type = "todo") => {
				const resource = { type, id: "7", properties: { ownerID: "ada", application_id: client.app_id } };
				return evaluate({ ...question(name), resource });
			};
			assert.deepEqual((await about("orders:read")).body, { decision: true, context: { reason: "ok" } });
			assert.equal((await about("orders:read", "Application")).body.decision, true);
			const denied = { decision: false, context: { reason: "missing_permission" } };
			assert.deepEqual((await about("can_delete_todo", "route")).body, denied);
		});

		it("returns a well-formed X-Request-ID of the caller", async () => {
			const idOf = async (given: string, path = PATH) => {
				const headers = { "x-request-id": given };
				const response = await service.signed(client, "POST", path, { body: question(), headers });
				return response.headers["x-request-id"];
			};
			const given = "bfe9eb29-ab87-4ca3-be83-a1d5d8305716";
			assert.equal(await idOf(given), given);
			assert.notEqual(await idOf("two words"), "two words");
			assert.notEqual(await idOf("x".repeat(129)), "x".repeat(129));
			assert.notEqual(await idOf(given, "/api/v1/external/users/check-access"), given);
		});

		it("accepts ids in upper case, properties and a context, and ignores unknown members", async () => {
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
		it("rejects an entity that is absent or has the wrong type", async () => {
			const { resource } = question();
			for (const body of [
				{ ...question(), resource: { type: "document", id: client.app_id } },
				{ ...question(), resource: { type: "Application", id: client.app_id } },
				{ ...question(), resource: { ...resource, properties: { application_id: 7 } } },
			])
				assert.equal(
					await problem(service, client, { ...call, body }),
					"400 request.invalid",
					JSON.stringify(body),
				);
		});
	});

	describe("403", () => {
		it("requires access:check:tenant for another application, whether it exists or not", async () => {
			const other = await addApplication(service);
			for (const id of [other.id, ABSENT_ID, "x"])
				for (const resource of [
					{ type: "application", id },
					{ type: "todo", id: client.app_id, properties: { application_id: id } },
				])
					assert.equal(
						await problem(service, client, { ...call, body: { ...question("@access"), resource } }),
						"403 scope.missing",
					);
		});
	});

	describe("426", () => {
		it("requires HTTPS, even for unknown paths", async () => {
			await assertHttpsOnly(service, call);
			assert.equal((await service.call("GET", "/access/v1/nothing")).status, 426);
			assert.equal((await service.call("GET", "/access/v1/nothing", { https: true })).status, 404);
		});
	});
});

describe("POST /access/v1/evaluations", () => {
	const PATH = "/access/v1/evaluations";

	let client: Client;
	let call: SignedCall;
	const subject = (id = ada.id) => ({ type: "user", id });
	const resource = (id = client.app_id) => ({ type: "application", id });
	const action = (name: string) => ({ name });
	const yes = { decision: true, context: { reason: "ok" } };
	const no = { decision: false, context: { reason: "missing_permission" } };
	before(async () => {
		client = await addReading();
		const questions = { evaluations: [{ action: action("orders:read") }] };
		call = { method: "POST", path: PATH, body: { subject: subject(), resource: resource(), ...questions } };
	});

	const evaluate = (body: unknown, by: Client = client) => service.signed(by, "POST", PATH, { body });

	describe("200", () => {
		it("returns decisions in order, and takes absent members from the defaults", async () => {
			const { status, body } = await evaluate({
				subject: subject(),
				action: action("orders:read"),
				resource: resource(),
				evaluations: [
					{},
					{ action: action("orders:write") },
					{ subject: subject(ABSENT_ID) },
					{ subject: subject(ABSENT_ID), action: action("@access"), resource: resource() },
				],
			});
			const unknownUser = { decision: false, context: { reason: "user_not_found" } };
			assert.deepEqual([status, body], [200, { evaluations: [yes, no, unknownUser, unknownUser] }]);
		});

		it("ends after the decision that evaluations_semantic names", async () => {
			const names = ["orders:read", "orders:write", "orders:read"];
			const questions = { evaluations: names.map((name) => ({ action: action(name) })) };
			for (const [semantic, responses] of [
				["execute_all", [yes, no, yes]],
				["deny_on_first_deny", [yes, no]],
				["permit_on_first_permit", [yes]],
			] as const) {
				const options = { evaluations_semantic: semantic, another_option: 1 };
				const { body } = await evaluate({ subject: subject(), resource: resource(), options, ...questions });
				assert.deepEqual(body, { evaluations: responses });
			}
			const options = { evaluations_semantic: "permit_on_first_permit" };
			const none = { evaluations: [{ action: action("a") }, { action: action("b") }] };
			const { body } = await evaluate({ subject: subject(), resource: resource(), options, ...none });
			assert.deepEqual(body, { evaluations: [no, no] });
		});

		it("returns a single decision without evaluations, or with an empty list", async () => {
			const one = { subject: subject(), action: action("orders:read"), resource: resource() };
			assert.deepEqual((await evaluate(one)).body, yes);
			assert.deepEqual((await evaluate({ ...one, evaluations: [] })).body, yes);
		});

		it("denies an evaluation that the client may not request, and decides the others", async () => {
			const other = await addApplication(service, { access_policy: "open" });
			const evaluations = [{ resource: resource(other.id) }, { resource: resource() }];
			const body = { subject: subject(), action: action("@access"), evaluations };
			const [refused, answered] = (await evaluate(body)).body.evaluations ?? [];
			assert.deepEqual([refused?.decision, refused?.context.error?.status], [false, 403]);
			assert.deepEqual(answered, yes);
			assert.deepEqual((await evaluate(body, await addOverseer())).body.evaluations, [yes, yes]);
		});

		it("denies an evaluation whose resource names no application, and says so", async () => {
			const evaluations = [{ resource: { type: "todo", id: "1" } }, { resource: resource() }];
			const { body } = await evaluate({ subject: subject(), action: action("@access"), evaluations });
			const message = "resource.properties.application_id is required unless resource.type is application";
			const refused = { decision: false, context: { error: { status: 400, message } } };
			assert.deepEqual(body.evaluations, [refused, yes]);
		});

		it("accepts a hundred evaluations", async () => {
			const evaluations = Array.from({ length: 100 }, () => ({ action: action("orders:read") }));
			const { body } = await evaluate({ subject: subject(), resource: resource(), evaluations });
			assert.equal(body.evaluations?.length, 100);
		});
	});

	describe("400", () => {
		it("names the absent or invalid member and its evaluation", async () => {
			const defaults = { subject: subject(), resource: resource() };
			for (const [body, fields] of [
				[{}, ["subject", "action", "resource"]],
				[defaults, ["action"]],
				[{ ...defaults, evaluations: [{ action: action("a") }, {}] }, ["evaluations.1.action"]],
				[{ evaluations: [{ action: action("a") }] }, ["evaluations.0.subject", "evaluations.0.resource"]],
			] as const) {
				const headers = { accept: "application/problem+json" };
				const response = await service.signed(client, "POST", PATH, { body, headers });
				const named = response.body.errors.map((error) => error.field);
				assert.deepEqual([response.status, named], [400, fields]);
			}
		});
	});

	describe("403", () => {
		it("refuses a single evaluation about another application", async () => {
			const body = { subject: subject(), action: action("a"), resource: resource(ABSENT_ID) };
			assert.equal(await problem(service, client, { ...call, body }), "403 scope.missing");
		});
	});
});

describe("GET /.well-known/authzen-configuration", () => {
	const PATH = "/.well-known/authzen-configuration";

	describe("200", () => {
		it("derives the addresses from the public URL, not from the Host header", async () => {
			const response = await service.call("GET", PATH, { headers: { host: "evil.example" } });
			assert.equal(response.status, 200);
			assert.deepEqual(response.body, {
				policy_decision_point: "https://auth.example.com",
				access_evaluation_endpoint: "https://auth.example.com/access/v1/evaluation",
				access_evaluations_endpoint: "https://auth.example.com/access/v1/evaluations",
				authorization_servers: ["https://auth.example.com"],
				bearer_methods_supported: ["header"],
				dpop_signing_alg_values_supported: ["ES256", "Ed25519", "EdDSA"],
			});
		});

		it("returns addresses of existing endpoints", async () => {
			const { body } = await service.call("GET", PATH);
			for (const name of ["access_evaluation_endpoint", "access_evaluations_endpoint"] as const) {
				const { pathname } = new URL(body[name]);
				assert.equal((await service.call("POST", pathname, { body: {}, https: true })).status, 401);
			}
		});
	});
});
