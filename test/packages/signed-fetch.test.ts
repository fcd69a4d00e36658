// What `signedFetch` repeats, how long it waits, and what it never does.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { type SentInit, signedFetch } from "../../packages/client/src/index.ts";
import type { SignedFetchOptions } from "../../packages/client/src/signed-fetch.ts";
import { KNOWN_CLIENT } from "./vectors.ts";

const NOW_MS = 1_760_000_000_000;
const URL = "https://api.example.com/orders?b=2&a=%2F";
const MIB = 1_048_576;

/** Responds with each response in order, the last one forever, and records the requests. */
function scripted(...responses: readonly (() => Response)[]) {
	const requests: Request[] = [];
	const send: typeof fetch = async (input, init) => {
		requests.push(new Request(input, init));
		return (responses[Math.min(requests.length, responses.length) - 1] as () => Response)();
	};
	return { requests, send };
}

const reply =
	(status: number, headers: Record<string, string> = {}, body = "") =>
	() =>
		new Response(body, { status, headers });
const ok = reply(200);
const at = (ms: number) => ({ date: new Date(ms).toUTCString() });
const SOON = { "retry-after": "0" };

function call(responses: readonly (() => Response)[], init: SentInit = {}, options: SignedFetchOptions = {}) {
	const { requests, send } = scripted(...responses);
	const origins = ["https://api.example.com"];
	const sent = signedFetch(KNOWN_CLIENT, { fetch: send, now: () => NOW_MS, origins, ...options });
	return { requests, sent, response: sent(URL, init) };
}

async function attempts(method: string, ...responses: readonly (() => Response)[]): Promise<number> {
	const { requests, response } = call(responses, { method });
	await response;
	return requests.length;
}

const header = (request: Request | undefined, name: string) => request?.headers.get(name);

describe("a clock that is wrong", () => {
	const AHEAD_MS = NOW_MS + 3_600_000;

	test("is corrected by the time of the refusal, once", async () => {
		const { requests, response } = call([reply(401, at(AHEAD_MS)), reply(401, at(AHEAD_MS + 3_600_000))]);
		assert.equal((await response).status, 401);
		assert.deepEqual(
			requests.map((request) => header(request, "x-timestamp")),
			[NOW_MS, AHEAD_MS].map((ms) => String(ms / 1000)),
		);
		assert.notEqual(header(requests[0], "x-nonce"), header(requests[1], "x-nonce"));
	});

	test("stays corrected for later requests", async () => {
		const { requests, response, sent } = call([reply(401, at(AHEAD_MS)), ok]);
		await response;
		await sent(URL);
		assert.equal(requests.length, 3);
		assert.equal(header(requests[2], "x-timestamp"), String(AHEAD_MS / 1000));
	});

	test("is not the cause of a refusal within four minutes, or without a date", async () => {
		for (const headers of [at(NOW_MS + 240_000), at(NOW_MS - 240_000), {}, { date: "soon" }])
			assert.equal(await attempts("GET", reply(401, headers), ok), 1);
		assert.equal(await attempts("GET", reply(401, at(NOW_MS - 241_000)), ok), 2);
	});
});

describe("a rate-limited request", () => {
	test("is repeated with another nonce and signature, for any method", async () => {
		const { requests, response } = call([reply(429, SOON), ok], { method: "POST", body: "a" });
		assert.equal((await response).status, 200);
		const [first, second] = requests;
		assert.notEqual(header(first, "x-nonce"), header(second, "x-nonce"));
		assert.notEqual(header(first, "x-signature"), header(second, "x-signature"));
		assert.equal(await second?.text(), "a");
	});

	test("is repeated twice by default, and as often as `retries` says", async () => {
		assert.equal(await attempts("GET", reply(429, SOON)), 3);
		for (const retries of [0, 1, 4]) {
			const { requests, response } = call([reply(429, SOON)], {}, { retries });
			assert.equal((await response).status, 429);
			assert.equal(requests.length, retries + 1);
		}
	});

	test("waits as long as Retry-After says, and 1, 2, 4… seconds without it", async (t) => {
		const waited: unknown[] = [];
		t.mock.method(globalThis, "setTimeout", (resume: () => void, milliseconds: number) => {
			waited.push(milliseconds);
			setImmediate(resume);
		});
		for (const [headers, waits] of [
			[{ "retry-after": "7" }, [7, 7]],
			[{ "retry-after": "60" }, [60, 60]],
			[{}, [1, 2]],
		] as const) {
			waited.length = 0;
			assert.equal(await attempts("GET", reply(429, headers)), 3);
			assert.deepEqual(
				waited,
				waits.map((seconds) => seconds * 1000),
			);
		}
	});

	test("is returned if it would wait more than 60 seconds, or the header is not a number of seconds", async () => {
		for (const value of ["61", "86400", "Mon, 23 Nov 2026 20:00:00 GMT"])
			assert.equal(await attempts("GET", reply(429, { "retry-after": value }), ok), 1, value);
	});

	test("stops waiting when it is aborted", async () => {
		for (const isAbortedBefore of [true, false]) {
			const controller = new AbortController();
			const response = reply(429, { "retry-after": "60" });
			const { requests, response: sent } = call(
				[
					() => {
						if (isAbortedBefore) controller.abort(new Error("enough"));
						return response();
					},
				],
				{ signal: controller.signal },
			);
			if (!isAbortedBefore) setImmediate(() => controller.abort(new Error("enough")));
			await assert.rejects(sent, { message: "enough" });
			assert.equal(requests.length, 1);
		}
	});
});

describe("an unavailable service", () => {
	const OWN = '{"type":"https://auth.example.com/docs/errors#database.unavailable"}';

	test("gets another request for methods that can be repeated", async () => {
		for (const method of ["GET", "HEAD", "PUT", "DELETE"])
			assert.equal(await attempts(method, reply(503, SOON), ok), 2, method);
	});

	test("gets another request for other methods only if the first did not reach an application", async () => {
		for (const method of ["POST", "PATCH"]) {
			assert.equal(await attempts(method, reply(503, SOON), ok), 1, method);
			assert.equal(await attempts(method, reply(503, SOON, '{"error":"busy"}'), ok), 1, method);
			const refused = { ...SOON, "latchkey-refusal": "database.unavailable" };
			assert.equal(await attempts(method, reply(503, refused), ok), 2, method);
			assert.equal(await attempts(method, reply(503, SOON, OWN), ok), 2, method);
		}
	});

	test("leaves the body of the last response readable", async () => {
		const { response } = call([reply(503, SOON, OWN)], { method: "POST" }, { retries: 0 });
		assert.equal(await (await response).text(), OWN);
		const foreign = call([reply(503, SOON, "busy")], { method: "POST" });
		assert.equal(await (await foreign.response).text(), "busy");
	});
});

describe("everything else", () => {
	test("is returned, not repeated", async () => {
		for (const status of [200, 204, 301, 302, 307, 308, 400, 403, 404, 409, 426, 500, 502, 504]) {
			const respond = () => new Response(null, { status, headers: { ...SOON, location: "/other" } });
			assert.equal(await attempts("GET", respond, ok), 1, String(status));
		}
	});

	test("is thrown, not repeated, if there is no response", async () => {
		let sent = 0;
		const fails = signedFetch(KNOWN_CLIENT, {
			fetch: async () => {
				sent++;
				throw new TypeError("fetch failed");
			},
		});
		const cause = { message: "fetch failed" };
		await assert.rejects(fails("/a"), (error: Error) => {
			assert.equal(error.message, `no response: ${KNOWN_CLIENT.url}`);
			assert.deepEqual({ message: (error.cause as Error).message }, cause);
			return true;
		});
		assert.equal(sent, 1);
	});

	test("tells fetch not to follow redirects, even if the caller asks for it", async () => {
		const { requests, response } = call([ok], { redirect: "follow" });
		await response;
		assert.equal(requests[0]?.redirect, "manual");
	});
});

describe("bodies", () => {
	const stream = (chunks: number, size: number) => {
		let pulled = 0;
		return new ReadableStream({
			pull(controller) {
				if (pulled++ < chunks) controller.enqueue(new Uint8Array(size));
				else controller.close();
			},
		});
	};

	test("of 1 MiB are sent, from memory and from a stream", async () => {
		for (const body of [new Uint8Array(MIB), stream(16, MIB / 16)]) {
			const { requests, response } = call([ok], { method: "POST", body });
			await response;
			assert.equal((await requests[0]?.arrayBuffer())?.byteLength, MIB);
		}
	});

	test("above 1 MiB are refused before anything is sent, without reading an endless stream", async () => {
		for (const body of [new Uint8Array(MIB + 1), stream(Number.POSITIVE_INFINITY, 65_536)]) {
			const { requests, response } = call([ok], { method: "POST", body });
			await assert.rejects(response, { name: "RangeError", message: "the body exceeds 1 MiB" });
			assert.equal(requests.length, 0);
		}
	});

	test("are bound by Content-Digest; a request without a body only if its method may have one", async () => {
		for (const [method, body, digest] of [
			["POST", "{}", "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"],
			["DELETE", "{}", "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"],
			["PATCH", undefined, "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"],
			["GET", undefined, null],
			["DELETE", undefined, null],
		] as const) {
			const { requests, response } = call([ok], { method, ...(body !== undefined && { body }) });
			await response;
			assert.equal(header(requests[0], "content-digest"), digest, method);
		}
	});
});

describe("origins", () => {
	const signed = (origins?: readonly string[], url: string = KNOWN_CLIENT.url) => {
		const { requests, send } = scripted(ok);
		const options = { fetch: send, ...(origins && { origins }) };
		return { requests, sent: signedFetch({ ...KNOWN_CLIENT, url }, options) };
	};

	test("are that of the service and the listed ones; nothing is sent to any other", async () => {
		const { requests, sent } = signed(["https://api.example.com/any", "http://localhost:3000"]);
		for (const url of ["/a", `${KNOWN_CLIENT.url}/b`, "https://api.example.com/c", "http://localhost:3000/d"])
			await sent(url);
		assert.equal(requests.length, 4);
		const foreign = [
			"https://evil.example/a",
			"https://api.example.com:444/a",
			"http://api.example.com/a",
			"https://api.example.com.evil.example/a",
			"//evil.example/a",
			"http://localhost:3001/a",
		];
		for (const url of foreign) {
			await assert.rejects(sent(url), {
				name: "TypeError",
				message: /^not in origins: \S+ \(could reuse requests/,
			});
			await assert.rejects(sent(new Request(new globalThis.URL(url, KNOWN_CLIENT.url))), /not in origins/);
		}
		assert.equal(requests.length, 4);
	});

	test("must be https, or http on this machine, and the URL of the service as well", () => {
		for (const url of ["http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:1/", "http://localhost/a"])
			signed([url], url);
		const refused = [
			"http://auth.example.com",
			"auth.example.com",
			"http://localhost.evil.example",
			"http://127.0.0.1.evil.example",
			"http://localhost@evil.example",
			"http://localhost:80@evil.example",
			"http:aalocalhost",
			"ftp://localhost",
			"",
		];
		for (const url of refused) {
			assert.throws(() => signed([url]), { name: "TypeError", message: `not https: ${url}` });
			assert.throws(() => signed([], url), /^TypeError: not https: /);
		}
	});
});

describe("what is sent", () => {
	const sha256 = (content: string) => createHash("sha256").update(content).digest();
	const digestOf = (content: string) => `sha-256=:${sha256(content).toString("base64")}:`;

	test("may be a plain object, as JSON", async () => {
		const { requests, response } = call([ok], { method: "POST", body: { a: "ü" } });
		await response;
		assert.equal(header(requests[0], "content-type"), "application/json");
		assert.equal(header(requests[0], "content-digest"), digestOf('{"a":"ü"}'));
		assert.equal(await requests[0]?.text(), '{"a":"ü"}');
		const own = call([ok], { method: "POST", body: {}, headers: { "content-type": "application/ld+json" } });
		await own.response;
		assert.equal(header(own.requests[0], "content-type"), "application/ld+json");
	});

	test("may be a Blob above 1 MiB, such as a file, and is repeated", async () => {
		const content = "a".repeat(3 * MIB);
		const body = new Blob([content], { type: "text/csv" });
		const { requests, response } = call([reply(429, SOON), ok], { method: "PUT", body });
		await response;
		assert.equal(requests.length, 2);
		assert.equal(header(requests[1], "content-digest"), digestOf(content));
		assert.equal(header(requests[1], "content-type"), "text/csv");
		assert.equal((await requests[1]?.text())?.length, 3 * MIB);
	});

	test("may be a stream of any size with its SHA-256, which is sent once", async () => {
		const content = "b".repeat(2 * MIB);
		const body = new Blob([content]).stream();
		const bodySha256 = sha256(content).toString("hex");
		const { requests, response } = call([reply(429, SOON), ok], { method: "POST", body, bodySha256 });
		assert.equal((await response).status, 429);
		assert.equal(requests.length, 1);
		assert.equal(header(requests[0], "content-digest"), digestOf(content));
		assert.equal((await requests[0]?.text())?.length, 2 * MIB);
	});

	test("may be FormData up to 1 MiB, which is repeated with the same bytes, or a Blob of it", async () => {
		const form = new FormData();
		form.set("file", new Blob(["content"]), "a.txt");
		const sent = call([reply(429, SOON), ok], { method: "POST", body: form });
		await sent.response;
		const [first = "", second = ""] = await Promise.all(sent.requests.map((request) => request.text()));
		assert.match(first, /^--\S+\r\n[\s\S]*content\r\n--\S+--/);
		assert.equal(second, first);
		assert.equal(header(sent.requests[1], "content-digest"), digestOf(first));
		const boundary = /boundary=(\S+)$/.exec(header(sent.requests[1], "content-type") ?? "")?.[1];
		assert.ok(first.startsWith(`--${boundary}`), first);
		const { requests, response } = call([ok], { method: "POST", body: await new Response(form).blob() });
		await response;
		assert.match(header(requests[0], "content-type") ?? "", /^multipart\/form-data; ?boundary=/);
	});
});

test("resolves a path against the URL of the service, and keeps the caller's headers", async () => {
	const { requests, send } = scripted(ok);
	await signedFetch(KNOWN_CLIENT, { fetch: send })("/a%2Fb?", { headers: { accept: "text/csv" } });
	assert.equal(requests[0]?.url, `${KNOWN_CLIENT.url}/a%2Fb`);
	assert.equal(header(requests[0], "accept"), "text/csv");
});
