// The known answers of gates: what middleware asks, and how it reads the response.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGate, expressGate, withGate } from "../../packages/client/src/gate.ts";
import { isOverrideHeader } from "../../src/domain/method-override.ts";
import { sha256 } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { testService } from "../harness/runs/fixture.ts";
import { connectionTo } from "./raw-request.ts";
import { GATE } from "./vectors.ts";

const OPTIONS = { url: "https://auth.example.com", applicationId: "a1", gateKey: "gk_1" };

/** A gate whose service responds as given, and what was sent to it. */
function scriptedGate(response: () => Response) {
	const requests: Request[] = [];
	const reported: unknown[] = [];
	const gate = createGate({
		...OPTIONS,
		report: (reason) => reported.push(reason),
		fetch: async (input, init) => {
			requests.push(new Request(input, init));
			return response();
		},
	});
	return { gate, requests, reported };
}

const passes = () => new Response(GATE.decided[0]?.response.body);

describe("asks the gate", () => {
	for (const { id, comment, sent, headers, body_base64, ...request } of GATE.asked) {
		const { method, target, scheme, ip } = request;
		const body = Buffer.from(body_base64, "base64");

		test(`${id}, from Node.js: ${comment}`, async () => {
			const { gate, requests } = scriptedGate(passes);
			const received = await connectionTo(
				(incoming, response) => {
					const express = { originalUrl: incoming.url ?? "", protocol: scheme, ip };
					void expressGate(gate)(Object.assign(incoming, express) as never, {} as never, (error) =>
						response.end(String(error)),
					);
				},
				{ method, target, headers, body },
			);
			assert.match(received, /^HTTP\/1\.1 200 /);
			assert.deepEqual(await requests[0]?.json(), sent);
		});

		if (new URL(target, OPTIONS.url).href !== OPTIONS.url + target) continue;
		test(`${id}, from Request: ${comment}`, async () => {
			const { gate, requests } = scriptedGate(passes);
			const init = { method, headers: headersOf(headers), ...(body.length > 0 && { body }) };
			const asked = new Request(OPTIONS.url + target, init);
			await withGate(
				gate,
				() => ({ ip, scheme: scheme === "https" ? "https" : "http" }),
				() => new Response(),
			)(asked);
			assert.deepEqual(await requests[0]?.json(), sent);
		});
	}

	test("with its key, at the URL of the application", async () => {
		const { gate, requests } = scriptedGate(passes);
		await gate({ ...ASKED, header: () => undefined });
		const [asked] = requests;
		assert.deepEqual(
			[asked?.method, asked?.url, asked?.headers.get("x-gate-key"), asked?.redirect],
			["POST", "https://auth.example.com/gate/a1/verify", "gk_1", "manual"],
		);
	});
});

const ASKED = {
	method: "GET",
	target: "/",
	scheme: "https",
	ip: "203.0.113.7",
	header: () => undefined,
	body: new Uint8Array(),
} as const;

describe("reads the decision", () => {
	for (const { id, comment, response, caller, refusal } of GATE.decided)
		test(`${id}: ${comment}`, async () => {
			const { gate, reported } = scriptedGate(
				() =>
					new Response(response.body, {
						status: response.status,
						headers: headersOf(Object.entries(response.headers)),
					}),
			);
			const decision = await gate(ASKED);
			if (caller !== undefined) {
				const { is_test: isTest, ...known } = caller;
				assert.deepEqual(decision, { caller: { ...known, isTest } });
				return;
			}
			assert.ok(!("caller" in decision));
			assert.deepEqual({ status: decision.status, headers: decision.headers }, refusal);
			const isOwn =
				response.headers["latchkey-refusal"] === undefined ||
				response.headers["latchkey-refusal"] === "gate.key";
			assert.equal(decision.body === response.body, !isOwn);
			// The operator learns why the gate did not decide, and only then.
			assert.equal(reported.length, isOwn ? 1 : 0);
		});
});

describe("the service", () => {
	const service = testService();

	test("understands every description", async () => {
		const { application_id: id, gate_key: key } = await addGate(service, {
			rules: [{ path: "/*", needs: "public" }],
		});
		for (const { id: vector, sent, body_base64 } of GATE.asked) {
			assert.equal(sent.body_sha256, sha256(Buffer.from(body_base64, "base64")), vector);
			const { status, headers } = await service.call("POST", `/gate/${id}/verify`, {
				body: sent,
				headers: { "x-gate-key": key ?? "" },
			});
			const outcome = `${status} ${headers["latchkey-refusal"]}`;
			const isOverride = Object.keys(sent.headers).some(isOverrideHeader);
			const expected = UNSAFE_PATHS.test(sent.target) ? "400 gate.path" : "200 -";
			assert.equal(outcome, isOverride ? "400 gate.request" : expected, vector);
		}
	});
});

/** The gate itself decides which paths are ambiguous. */
const UNSAFE_PATHS = /^[^?]*\/\.\//;

function headersOf(lines: readonly (readonly string[])[]): Headers {
	const headers = new Headers();
	for (const [name = "", value = ""] of lines) headers.append(name, value);
	return headers;
}
