import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import {
	startWebhookReceiver,
	type WebhookReceiver,
} from "../../../test/harness/webhooks/webhook-receiver.ts";
import { WEBHOOK_ANSWER_MAX, type WebhookRequest, WebhookSendError } from "../../domain/webhook-delivery.ts";
import { ipInList, parseCidr } from "../../kernel/ip.ts";
import { createHttpsSender, type HttpsSenderOptions } from "./https-sender.ts";

const loopback = parseCidr("127.0.0.0/8");
assert.ok(!("problem" in loopback));
/** Only loopback addresses are allowed here. */
const isAllowed: HttpsSenderOptions["isAllowed"] = (ip) => ipInList([loopback], ip);

describe("createHttpsSender", () => {
	let receiver: WebhookReceiver;
	let asked: string[];
	before(async () => {
		receiver = await startWebhookReceiver();
	});
	beforeEach(() => {
		asked = [];
		receiver.response(204);
	});
	after(() => receiver.close());

	const request = (url: string): WebhookRequest => ({
		url,
		headers: { "webhook-id": "one" },
		body: '{"é":1}',
	});
	/** Resolves names to these addresses, one list for each call. */
	const sender = (responses: readonly string[][] = [], more: Partial<HttpsSenderOptions> = {}) => {
		const left = [...responses];
		return createHttpsSender({
			isAllowed,
			clock: () => Date.UTC(2026, 10, 20, 6),
			resolve: async (hostname) => {
				asked.push(hostname);
				return left.shift() ?? [];
			},
			...more,
		});
	};
	const named = (path = "/") => request(`https://localhost:${receiver.port}${path}`);
	const refused = async (sending: Promise<unknown>, message: string | RegExp) => {
		const before = receiver.received.length;
		await assert.rejects(sending, (error) => {
			assert.ok(error instanceof WebhookSendError);
			assert.match(error.message, typeof message === "string" ? new RegExp(`^${message}$`) : message);
			assert.doesNotMatch(error.message, /127\.|10\.0|localhost/);
			return true;
		});
		assert.equal(receiver.received.length, before, "nothing was sent");
	};

	it("posts to the checked address of a name, resolved once", async () => {
		const answer = await sender([["127.0.0.1"], ["10.0.0.1"]]).send(named("/in?a=b"));
		assert.deepEqual(answer, { statusCode: 204, retryAfterSeconds: undefined, answer: "" });
		assert.deepEqual(asked, ["localhost"]);
		const { path, headers, body } = receiver.received.at(-1) ?? assert.fail();
		assert.deepEqual([path, body, headers.host], ["/in?a=b", '{"é":1}', `localhost:${receiver.port}`]);
		assert.deepEqual([headers["webhook-id"], headers["content-length"]], ["one", "8"]);
	});

	it("posts to an address without resolving it", async () => {
		assert.equal((await sender().send(request(receiver.url))).statusCode, 204);
		assert.deepEqual(asked, []);
	});

	const FORBIDDEN = "the host resolves to an IP address that is not on the public Internet";
	it("refuses a name when one of its addresses is forbidden", async () => {
		for (const addresses of [
			["10.0.0.1"],
			["127.0.0.1", "10.0.0.1"],
			["127.0.0.1", "::1"],
			["127.0.0.1", "fe80::1%eth0"],
			["::ffff:10.0.0.1"],
			[],
		]) {
			await refused(sender([addresses]).send(named()), FORBIDDEN);
		}
	});

	it("refuses a forbidden address in the URL, however it is spelled", async () => {
		for (const host of ["10.0.0.1", "167772161", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]"]) {
			await refused(sender().send(request(`https://${host}:${receiver.port}/`)), FORBIDDEN);
		}
	});

	it("sends over https only", () =>
		refused(sender().send(request(receiver.url.replace("https", "http"))), "the URL is not https"));

	it("checks the certificate's name", () =>
		refused(
			sender([["127.0.0.1"]]).send(request(`https://hooks.partner.example:${receiver.port}/`)),
			/^the request failed \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
		));

	it("returns a redirect as the response", async () => {
		receiver.response((response) => void response.writeHead(302, { location: receiver.url }).end());
		const before = receiver.received.length;
		assert.equal((await sender().send(request(receiver.url))).statusCode, 302);
		assert.equal(receiver.received.length, before + 1);
	});

	it("reads 64 KiB of a response and closes the connection", async () => {
		let written = 0;
		const closed = new Promise<void>((resolve) => {
			receiver.response((response) => {
				response.on("close", resolve).on("error", () => undefined);
				response.writeHead(200);
				const more = () => {
					while (written < 100_000_000 && response.write(Buffer.alloc(16_384))) written += 16_384;
					if (!response.destroyed) response.once("drain", more);
				};
				more();
			});
		});
		assert.equal((await sender().send(request(receiver.url))).statusCode, 200);
		await closed;
		assert.ok(written < 10_000_000, String(written));
	});

	it("limits the time for name resolution, the response, and its body", async () => {
		const timeoutMs = 250;
		const late = /no response within 0.25 s$/;
		const never = () => new Promise<never>(() => undefined);
		const stuck = sender([], {
			timeoutMs,
			resolve: (_name, signal) =>
				Promise.race([never(), new Promise<never>((_, no) => signal.addEventListener("abort", no))]),
		});
		await refused(stuck.send(named()), late);
		receiver.response(() => undefined);
		await assert.rejects(sender([], { timeoutMs }).send(request(receiver.url)), late);
		receiver.response((response) => void response.writeHead(200).write("and"));
		// The receiver never ends its response.
		assert.equal((await sender([], { timeoutMs }).send(request(receiver.url))).statusCode, 200);
	});

	it("keeps how a refusal begins if the response is too long, or never ends", async () => {
		const beginning = async (body: string) => {
			const { statusCode, answer } = await sender([], { timeoutMs: 1_000 }).send(request(receiver.url));
			assert.deepEqual([statusCode, answer], [500, body.slice(0, WEBHOOK_ANSWER_MAX)]);
		};
		const long = "x".repeat(100 * 1_024);
		receiver.response((response) => void response.writeHead(500).end(long));
		await beginning(long);
		const short = "y".repeat(100);
		receiver.response((response) => void response.writeHead(500).write(short));
		await beginning(short);
	});

	it("reads Retry-After in seconds and as a date", async () => {
		for (const [header, seconds] of [
			["120", 120],
			["Fri, 20 Nov 2026 08:00:00 GMT", 7_200],
			["-1", undefined],
		] as const) {
			receiver.response((response) => void response.writeHead(429, { "retry-after": header }).end());
			const answer = await sender().send(request(receiver.url));
			assert.deepEqual(answer, { statusCode: 429, retryAfterSeconds: seconds, answer: "" });
		}
	});

	it("describes why there is no response, without internal details", async () => {
		const deaf = createServer((socket) => socket.destroy());
		await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
		const { port } = deaf.address() as { port: number };
		await refused(sender().send(request(`https://127.0.0.1:${port}/`)), "the connection was reset");
		await new Promise((resolve) => deaf.close(resolve));
		await refused(sender().send(request(`https://127.0.0.1:${port}/`)), "the connection was refused");
	});
});
