import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ABSENT_ID, addApiClient, addApplication, addRole, putGrant } from "../../harness/applications.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertUnsigned,
	type Client,
	problem,
	type SignedCall,
} from "../../harness/signed-endpoint.ts";

const PATH = "/access/v1/evaluations";

let service: TestService;
let client: Client;
let ada: Person;
let call: SignedCall;
const subject = (id = ada.id) => ({ type: "user", id });
const resource = (id = client.app_id) => ({ type: "application", id });
const action = (name: string) => ({ name });
const yes = { decision: true, context: { reason: "ok" } };
const no = { decision: false, context: { reason: "missing_permission" } };
before(async () => {
	service = await startTestService();
	const { id: app_id } = await addApplication(service);
	client = await addApiClient(service, { app_id });
	ada = await addPerson(service, "ada");
	await addRole(service, app_id, "reader", ["orders:read"]);
	await putGrant(service, app_id, ada.id, ["reader"]);
	const questions = { evaluations: [{ action: action("orders:read") }] };
	call = { method: "POST", path: PATH, body: { subject: subject(), resource: resource(), ...questions } };
});
after(() => service.stop());

const evaluate = (body: unknown, by: Client = client) => service.signed(by, "POST", PATH, { body });

describe("POST /access/v1/evaluations", () => {
	describe("200", () => {
		test("answers in order, each part its own or by default", async () => {
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

		test("ends where the semantic says", async () => {
			const names = ["orders:read", "orders:write", "orders:read"];
			const questions = { evaluations: names.map((name) => ({ action: action(name) })) };
			for (const [semantic, answers] of [
				["execute_all", [yes, no, yes]],
				["deny_on_first_deny", [yes, no]],
				["permit_on_first_permit", [yes]],
			] as const) {
				const options = { evaluations_semantic: semantic, another_option: 1 };
				const { body } = await evaluate({ subject: subject(), resource: resource(), options, ...questions });
				assert.deepEqual(body, { evaluations: answers });
			}
			const options = { evaluations_semantic: "permit_on_first_permit" };
			const none = { evaluations: [{ action: action("a") }, { action: action("b") }] };
			const { body } = await evaluate({ subject: subject(), resource: resource(), options, ...none });
			assert.deepEqual(body, { evaluations: [no, no] });
		});

		test("is one question without evaluations, or with an empty list", async () => {
			const one = { subject: subject(), action: action("orders:read"), resource: resource() };
			assert.deepEqual((await evaluate(one)).body, yes);
			assert.deepEqual((await evaluate({ ...one, evaluations: [] })).body, yes);
		});

		test("denies a question the client may not ask, and answers the others", async () => {
			const other = await addApplication(service, { access_policy: "open" });
			const evaluations = [{ resource: resource(other.id) }, { resource: resource() }];
			const body = { subject: subject(), action: action("@access"), evaluations };
			const [refused, answered] = (await evaluate(body)).body.evaluations ?? [];
			assert.deepEqual([refused?.decision, refused?.context.error?.status], [false, 403]);
			assert.deepEqual(answered, yes);
			const overseer = await addApiClient(service, { scopes: ["access:check", "access:check:tenant"] });
			assert.deepEqual((await evaluate(body, overseer)).body.evaluations, [yes, yes]);
		});

		test("accepts a hundred at once", async () => {
			const evaluations = Array.from({ length: 100 }, () => ({ action: action("orders:read") }));
			const { body } = await evaluate({ subject: subject(), resource: resource(), evaluations });
			assert.equal(body.evaluations?.length, 100);
		});
	});

	describe("400", () => {
		test("names what is missing, and in which question", async () => {
			const defaults = { subject: subject(), resource: resource() };
			for (const [body, fields] of [
				[{}, ["subject", "action", "resource"]],
				[defaults, ["action"]],
				[{ ...defaults, evaluations: [{ action: action("a") }, {}] }, ["evaluations.1.action"]],
				[{ evaluations: [{ action: action("a") }] }, ["evaluations.0.subject", "evaluations.0.resource"]],
				[{ ...defaults, evaluations: [{ action: { name: 7 } }] }, ["evaluations.0.action.name"]],
				[{ ...defaults, evaluations: "all" }, ["evaluations"]],
				[{ ...defaults, evaluations: Array.from({ length: 101 }, () => ({})) }, ["evaluations"]],
				[
					{ ...defaults, action: action("a"), options: { evaluations_semantic: "any" } },
					["options.evaluations_semantic"],
				],
			] as const) {
				const headers = { accept: "application/problem+json" };
				const answer = await service.signed(client, "POST", PATH, { body, headers });
				const named = answer.body.errors.map((error) => error.field);
				assert.deepEqual([answer.status, named], [400, fields]);
			}
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, call));
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, call));

		test("without access:check", async () => {
			const without = await addApiClient(service, { scopes: ["users:read", "access:check:tenant"] });
			assert.equal(await problem(service, without, call), "403 scope.missing");
		});

		test("one question alone about another application", async () => {
			const body = { subject: subject(), action: action("a"), resource: resource(ABSENT_ID) };
			assert.equal(await problem(service, client, { ...call, body }), "403 scope.missing");
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, call));
	});
});
