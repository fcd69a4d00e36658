// `explain` makes the decision of the gate: random rules, requests, and callers get the same from both.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import {
	ask,
	BEHIND_PROXY,
	browserCookie,
	type KeyedGate,
	serviceToken,
	signedCall,
} from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { testService } from "../harness/runs/fixture.ts";

const CASES = atDepth({ quick: 300, all: 1_000, long: 10_000 });
const CASES_A_GATE = 25;
const OWN_ORIGIN = "https://localhost:8443";

describe("POST /api/v1/applications/{id}/gate/explain", () => {
	const service = testService({ env: BEHIND_PROXY });

	it(`agrees with the gate in ${CASES} random cases`, async () => {
		const random = randomNumbers(11);
		const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
		const { id } = await addApplication(service, { access_policy: "assigned" });
		await addRole(service, id, "reader", ["orders:read"]);
		await addRole(service, id, "writer", ["orders:*"]);
		await addRole(service, id, "unused", ["other:read"]);
		const resource = `https://random.example/${id}`;
		await putOAuthClient(service, { type: "service", resource }, id);
		const program = await addApplication(service, { name: "Nightly export" });
		const settings = { type: "service", allowed_resources: [resource] };
		const { client_secret: secret = "" } = await putOAuthClient(service, settings, program.id);
		const gate = (await addGate(service, {}, id)) as KeyedGate;
		const [reader, stranger] = [await addPerson(service, "reader"), await addPerson(service, "stranger")];
		await putGrant(service, id, reader.id, ["reader"]);
		const partner = await addApiClient(service, { app_id: id, name: "Till" });
		const grants = `${APPLICATIONS}/${id}/grants`;
		await service.asAdmin("PUT", `${grants}/api-clients/${partner.id}`, { roles: ["writer"] });
		await service.asAdmin("PUT", `${grants}/programs/${program.id}`, { roles: ["reader"] });
		const cookies = [await browserCookie(service, reader), await browserCookie(service, stranger)];
		const token = await serviceToken(service, { id: program.id, secret }, resource);
		const withCookie = (cookie = "") => ({ cookie, origin: OWN_ORIGIN });
		const callers = [
			{ name: undefined, headersOf: () => ({}) },
			{ name: `person:${reader.id}`, headersOf: () => withCookie(cookies[0]) },
			{ name: `person:${stranger.id}`, headersOf: () => withCookie(cookies[1]) },
			{ name: `program:${program.id}`, headersOf: () => ({ authorization: `Bearer ${token}` }) },
			{
				name: `partner:${partner.id}`,
				headersOf: (method: string, target: string) =>
					signedCall(service, partner, target, { method, body: "" }),
			},
		];
		const segment = () => pick(["orders", "Orders", "{id}", "a", "b"]);
		const rule = () => {
			const segments = Array.from({ length: random(3) }, segment);
			const end = random(2) === 0 || segments.length === 0 ? ["*"] : [];
			return {
				...(random(2) === 0 && { methods: [pick(["GET", "POST"])] }),
				path: `/${[...segments, ...end].join("/")}`,
				needs: pick(["public", "signed-in", "orders:read", "orders:write", "other:read"]),
			};
		};
		const target = () => {
			const segments = Array.from({ length: random(3) }, () => pick(["orders", "ORDERS", "a", "b", "17"]));
			return `/${segments.join("/")}${pick(["", "", "", "/", "?q=1", "/..", "%2f", ";x"])}`;
		};
		const seen = new Set<string>();
		for (let number = 0; number < CASES; number++) {
			if (number % CASES_A_GATE === 0)
				await service.asAdmin("PUT", `${APPLICATIONS}/${id}/gate`, {
					rules: Array.from({ length: random(6) }, rule),
					...(random(3) === 0 && { accept: [pick(["partner", "person", "program"])] }),
				});
			const request = { method: pick(["GET", "HEAD", "POST", "DELETE"]), target: target() };
			const caller = pick(callers);
			const headers = caller.headersOf(request.method, request.target);
			const decided = await ask(service, gate, request.target, { method: request.method, headers });
			const explained = await service.asAdmin("POST", `${APPLICATIONS}/${id}/gate/explain`, {
				...request,
				...(caller.name !== undefined && { caller: caller.name }),
			});
			const { "latchkey-refusal": refusal, "latchkey-reason": reason } = decided.headers;
			assert.deepEqual(
				[decided.status === 200, decided.status === 200 ? null : refusal],
				[explained.allowed, explained.code],
				JSON.stringify({ ...request, caller: caller.name }),
			);
			if (refusal === "application.access_denied") assert.equal(explained.reason, reason);
			seen.add(explained.code ?? (explained.caller === null ? "public" : "ok"));
		}
		// Every outcome occurs, so that the test compares more than one.
		for (const outcome of [
			"ok",
			"public",
			"gate.no_rule",
			"gate.path",
			"token.missing",
			"application.access_denied",
		])
			assert.ok(seen.has(outcome), outcome);
	});
});

/** Park–Miller: the same numbers in every run. */
function randomNumbers(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state * 48_271) % 2_147_483_647;
		return state % below;
	};
}
