import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	startWebhookReceiver,
	type WebhookReceiver,
} from "../../../test/harness/webhooks/webhook-receiver.ts";
import { ProgramUnreadable } from "../../domain/program-document.ts";
import { parseIp } from "../../kernel/ip.ts";
import { createProgramDocuments } from "./program-documents.ts";

const URL_OF_DOCUMENT = "https://localhost/client.json";

describe("createProgramDocuments", () => {
	let receiver: WebhookReceiver;
	before(async () => {
		receiver = await startWebhookReceiver();
	});
	after(() => receiver.close());

	const read = (addresses: readonly string[][] = [["127.0.0.1"]], timeoutMs?: number) => {
		const left = [...addresses];
		const documents = createProgramDocuments({
			isAllowed: ({ text }) => text === parseIp("127.0.0.1")?.text,
			resolve: async () => left.shift() ?? [],
			defaultPort: receiver.port,
			...(timeoutMs !== undefined && { timeoutMs }),
		});
		return documents.read(URL_OF_DOCUMENT);
	};
	const respond = (status: number, body: string | Buffer, headers: Record<string, string> = {}) =>
		receiver.response((response) => response.writeHead(status, headers).end(body));
	const refuses = (reading: Promise<string>, message: RegExp) =>
		assert.rejects(reading, (error) => {
			assert.ok(error instanceof ProgramUnreadable, String(error));
			assert.match(error.message, message);
			assert.doesNotMatch(error.message, /127\.|10\.0/);
			return true;
		});

	it("sends one GET without credentials and returns the text", async () => {
		respond(200, '{"é":1}');
		assert.equal(await read(), '{"é":1}');
		const { path, headers } = receiver.received.at(-1) ?? assert.fail();
		assert.deepEqual([path, headers.cookie, headers.authorization], ["/client.json", undefined, undefined]);
	});

	it("refuses a redirect without following it", async () => {
		respond(302, "", { location: "https://localhost/other.json" });
		const before = receiver.received.length;
		await refuses(read(), /returned status 302/);
		assert.equal(receiver.received.length, before + 1);
	});

	it("refuses more than 64 KiB", async () => {
		respond(200, "a".repeat(64 * 1024));
		assert.equal((await read()).length, 64 * 1024);
		respond(200, "a".repeat(65 * 1024));
		await refuses(read(), /more than 65536 bytes/);
	});

	it("refuses a slow response", async () => {
		receiver.response((response) => void response.writeHead(200).write("{"));
		await refuses(read(undefined, 300), /no response within 0.3 s/);
	});

	it("refuses text that is not UTF-8", async () => {
		respond(200, Buffer.from([0x7b, 0xff, 0x7d]));
		await refuses(read(), /UTF-8/);
	});

	it("refuses a private network without connecting, even beside an allowed address", async () => {
		const before = receiver.received.length;
		await refuses(read([["10.0.0.1"]]), /not on the public Internet/);
		await refuses(read([["127.0.0.1", "10.0.0.1"]]), /not on the public Internet/);
		await refuses(read([["::ffff:10.0.0.1"]]), /not on the public Internet/);
		assert.equal(receiver.received.length, before);
	});

	it("resolves the name once: a later DNS response does not count", async () => {
		respond(200, "{}");
		assert.equal(await read([["127.0.0.1"], ["10.0.0.1"]]), "{}");
	});
});
