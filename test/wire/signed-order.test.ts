// The signed guard checks in a fixed order: of two errors the earlier one is returned, and a refused request uses no
// nonce.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { API_CLIENTS, addApiClient } from "../harness/access/applications.ts";
import {
	adding,
	changing,
	FIND_USER,
	replacing,
	sendSigned,
	verdict,
	type WireRequest,
	without,
} from "../harness/access/signed-wire.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import type { Credentials } from "../harness/service/service.ts";

type Client = Credentials & { readonly id: string };
type Spoilt = WireRequest & { readonly client: Client };

/** Properties of the sending client, which no header expresses. */
interface Circumstances {
	readonly blocked: boolean;
	readonly scopeless: boolean;
}

const clients = new Map<string, Client>();
const USED = "a-nonce-that-was-used-before";
const GOOD: Circumstances = { blocked: false, scopeless: false };
const BODY = JSON.stringify({ provider: "github", provider_user_id: "7" });
const ABSENT = "404 user.not_found";

/** In the order of the contract, section 7, from its second step; each adds one error to a valid request. */
const STEPS: readonly {
	readonly verdict: string;
	spoil?(request: Spoilt): Spoilt;
	readonly circumstances?: Partial<Circumstances>;
}[] = [
	{ verdict: "426 transport.https_required", spoil: (request) => ({ ...request, secure: false }) },
	{
		verdict: "400 request.target_form",
		spoil: (request) => ({ ...request, sent: { ...request.sent, target: `https://localhost${FIND_USER}` } }),
	},
	{ verdict: "401 signature.headers", spoil: (request) => spoiling(request, without("X-App-ID")) },
	{
		verdict: "401 signature.timestamp",
		spoil: (request) => ({ ...request, timestamp: String(Math.floor(service.clock.now() / 1000) - 400) }),
	},
	{
		verdict: "413 request.too_large",
		spoil: (request) => ({ ...request, body: `${request.body}${" ".repeat(65_537)}` }),
	},
	{
		verdict: "401 signature.invalid",
		spoil: (request) => ({ ...request, client: { ...request.client, secret: "sk_not-the-secret" } }),
	},
	{ verdict: "403 ip.not_allowed", circumstances: { blocked: true } },
	{ verdict: "401 nonce.reused", spoil: (request) => ({ ...request, nonce: USED }) },
	{ verdict: "403 scope.missing", circumstances: { scopeless: true } },
	{
		verdict: "415 request.content_encoding",
		spoil: (request) => spoiling(request, adding("Content-Encoding", "gzip")),
	},
	{
		verdict: "400 request.content_type",
		spoil: (request) => spoiling(request, replacing("Content-Type", "text/plain;;=")),
	},
	{ verdict: "400 request.malformed", spoil: (request) => ({ ...request, body: `{${request.body}` }) },
];

const service = testService();
setup(async () => {
	for (const blocked of [false, true]) {
		for (const scopeless of [false, true]) {
			const fields = scopeless ? { scopes: ["users:read"] } : {};
			const client = await addApiClient(service, fields);
			await sendSigned(service, client, { nonce: USED });
			if (blocked) await patch(client, { ip_allowlist: ["192.0.2.1"] });
			clients.set(`${blocked} ${scopeless}`, client);
		}
	}
});

async function patch(client: Client, body: object): Promise<void> {
	const response = await service.callAsAdmin("PATCH", `${API_CLIENTS}/${client.id}`, { body });
	assert.equal(response.status, 200);
}

function spoiling(request: Spoilt, spoil: NonNullable<WireRequest["spoil"]>): Spoilt {
	const before = request.spoil;
	return { ...request, spoil: (headers) => spoil(before === undefined ? headers : before(headers)) };
}

/** A valid request from a client with the properties that these steps need. */
function goodFor(steps: readonly number[]): Spoilt {
	const circumstances = { ...GOOD };
	for (const step of steps) Object.assign(circumstances, STEPS[step]?.circumstances);
	const client = clients.get(`${circumstances.blocked} ${circumstances.scopeless}`) as Client;
	return { client, body: BODY, target: FIND_USER };
}

/** A request with all of these errors. */
function spoilt(steps: readonly number[]): Spoilt {
	let request = goodFor(steps);
	for (const step of steps) request = STEPS[step]?.spoil?.(request) ?? request;
	return request;
}

const send = (request: Spoilt): Promise<string> => verdict(sendSigned(service, request.client, request));

describe("the order of the steps", () => {
	for (const [first, { verdict: expected }] of STEPS.entries()) {
		test(`${expected} is returned before every later error`, async () => {
			assert.equal(await send(spoilt([first])), expected);
			for (let second = first + 1; second < STEPS.length; second++)
				assert.equal(await send(spoilt([first, second])), expected, `with ${STEPS[second]?.verdict}`);
		});
	}

	test("a request with every error gets one error after the other as it is corrected", async () => {
		const steps = [...STEPS.keys()];
		const verdicts: string[] = [];
		while (steps.length > 0) {
			verdicts.push(await send(spoilt(steps)));
			steps.shift();
		}
		assert.deepEqual(
			verdicts,
			STEPS.map((step) => step.verdict),
		);
		assert.equal(await send(spoilt([])), ABSENT);
	});
});

describe("a nonce", () => {
	const CLAIMS = STEPS.findIndex((step) => step.verdict === "401 nonce.reused");

	for (const [step, { verdict: expected }] of STEPS.entries()) {
		if (step === CLAIMS) continue;
		const burns = step > CLAIMS;
		test(`is ${burns ? "used up by" : "still unused after"} ${expected}`, async () => {
			const nonce = crypto.randomUUID();
			assert.equal(await send({ ...spoilt([step]), nonce }), expected);
			const good = goodFor([step]);
			if (STEPS[step]?.circumstances?.blocked) await patch(good.client, { ip_allowlist: [] });
			assert.equal(await send({ ...good, nonce }), burns ? "401 nonce.reused" : ABSENT);
		});
	}

	test("is also used up by a 404 and a 400", async () => {
		const nonce = crypto.randomUUID();
		assert.equal(await send({ ...spoilt([]), nonce }), ABSENT);
		assert.equal(await send({ ...spoilt([]), nonce }), "401 nonce.reused");
		const invalid = { ...spoilt([]), nonce: crypto.randomUUID(), body: "{}" };
		assert.equal(await send(invalid), "400 request.invalid");
		assert.equal(await send(invalid), "401 nonce.reused");
	});
});

describe("the body", () => {
	test("of 65536 bytes is accepted, of 65537 refused", async () => {
		const padded = (bytes: number) => BODY + " ".repeat(bytes - BODY.length);
		assert.equal(await send({ ...spoilt([]), body: padded(65_536) }), ABSENT);
		assert.equal(await send({ ...spoilt([]), body: padded(65_537) }), "413 request.too_large");
	});

	test("in chunks is signed and limited like any other", async () => {
		const chunked = (request: Spoilt): Spoilt => {
			const body = String(request.body);
			const half = body.length >> 1;
			const chunks = [body.slice(0, half), body.slice(half), ""];
			const sent = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
			const headers = spoiling(
				spoiling(request, without("Content-Length")),
				adding("Transfer-Encoding", "chunked"),
			);
			return { ...headers, sent: { body: sent } };
		};
		assert.equal(await send(chunked(spoilt([]))), ABSENT);
		assert.equal(await send(chunked({ ...spoilt([]), body: "{}" })), "400 request.invalid");
		const tooLarge = { ...spoilt([]), body: BODY + " ".repeat(65_537) };
		assert.equal(await send(chunked(tooLarge)), "413 request.too_large");
		assert.equal(
			await send(
				chunked(
					spoiling(
						spoilt([]),
						changing("X-Nonce", (nonce) => `${nonce}x`),
					),
				),
			),
			"401 signature.invalid",
		);
	});

	test("on GET is refused before any header is checked", async () => {
		const { client } = spoilt([]);
		const get = (spoil: WireRequest["spoil"], body: string): Promise<string> =>
			send({
				client,
				method: "GET",
				target: `/api/v1/external/users/${client.id}`,
				sent: { body },
				...(spoil && { spoil }),
			});
		assert.equal(await get(undefined, "{}"), "400 request.body_not_allowed");
		assert.equal(await get(without("X-Signature"), "{}"), "400 request.body_not_allowed");
		assert.equal(await get(undefined, ""), ABSENT);
		const chunked = [without("Content-Length"), adding("Transfer-Encoding", "chunked")] as const;
		assert.equal(
			await get((headers) => chunked[1](chunked[0](headers)), "0\r\n\r\n"),
			"400 request.body_not_allowed",
		);
	});

	test("that is not JSON is first checked for its signature, with any content type", async () => {
		for (const type of ["application/json", "text/plain", "", "/", "application/json; charset=;", "a b c"]) {
			const bad = { ...spoilt([5]), body: "{" };
			assert.equal(await send(spoiling(bad, replacing("Content-Type", type))), "401 signature.invalid", type);
		}
		assert.equal(await send({ ...spoilt([]), body: "{" }), "400 request.malformed");
		assert.equal(await send(spoiling(spoilt([]), without("Content-Type"))), "400 request.content_type");
	});
});
