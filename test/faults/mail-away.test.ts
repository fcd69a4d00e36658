// An unavailable or silent mail server: the API does not wait for it, and due mails are sent when it is back.

import assert from "node:assert/strict";
import net from "node:net";
import { after, before, describe, test } from "node:test";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { REQUESTS, submission } from "../harness/access/access-requests.ts";
import { freePorts } from "../harness/processes/program.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const PATIENCE_MS = 30_000;

let port: number;
let service: TestService;
/** By recipient: the Message-ID of each accepted mail. */
const received = new Map<string, string[]>();
before(async () => {
	[port = 0] = await freePorts(1);
	service = await startTestService({
		env: { LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}`, LATCHKEY_MAIL_FROM: "latchkey@mail.example" },
	});
});
after(() => service.stop());

function mailServer(): SMTPServer {
	return new SMTPServer({
		logger: false,
		authOptional: true,
		hideSTARTTLS: true,
		// Idle connections would delay a close.
		closeTimeout: 10,
		onData(stream, session, done) {
			const chunks: Buffer[] = [];
			stream.on("data", (chunk: Buffer) => chunks.push(chunk));
			stream.on("end", () => {
				PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
					for (const { address } of session.envelope.rcptTo)
						received.set(address, [...(received.get(address) ?? []), mail.messageId ?? ""]);
					done();
				}, done);
			});
		},
	});
}

async function submitSome(count: number): Promise<string[]> {
	const addresses: string[] = [];
	for (let index = 0; index < count; index++) {
		const body = submission();
		const response = await service.call("POST", REQUESTS, { body });
		assert.equal(response.status, 201);
		addresses.push(String(body.email));
	}
	return addresses;
}

async function arrived(addresses: readonly string[]): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	const missing = (): string[] => addresses.filter((address) => !received.has(address));
	while (missing().length > 0 && Date.now() < deadline)
		await new Promise((resolve) => setTimeout(resolve, 20));
	assert.deepEqual(missing(), []);
	for (const address of addresses) assert.equal(received.get(address)?.length, 1, address);
}

describe("a mail server", () => {
	test("that is down delays no request, and gets each mail once when it is back", async () => {
		const early = await submitSome(10);
		assert.equal((await service.call("GET", "/health")).status, 200);
		const server = mailServer();
		await new Promise<void>((resolve) => {
			server.listen(port, "127.0.0.1", resolve);
		});
		const late = await submitSome(3);
		await arrived([...early, ...late]);
		await new Promise<void>((resolve) => {
			server.close(resolve);
		});
	});

	test("that accepts connections and stays silent delays no request", async () => {
		const sockets = new Set<net.Socket>();
		const silent = net.createServer(
			(socket) => void sockets.add(socket.on("error", () => undefined).resume()),
		);
		await new Promise<void>((resolve) => {
			silent.listen(port, "127.0.0.1", resolve);
		});
		const addresses = await submitSome(10);
		const deadline = Date.now() + PATIENCE_MS;
		while (sockets.size === 0 && Date.now() < deadline)
			await new Promise((resolve) => setTimeout(resolve, 20));
		assert.ok(sockets.size > 0, "no attempt to send");
		await submitSome(3);
		// The attempts still wait for the greeting of the server: no submission waited for them.
		assert.ok([...sockets].every(({ readyState }) => readyState === "open"));
		await new Promise<void>((resolve) => {
			silent.close(() => resolve());
			for (const socket of sockets) socket.destroy();
		});
		const server = mailServer();
		await new Promise<void>((resolve) => {
			server.listen(port, "127.0.0.1", resolve);
		});
		await arrived(addresses);
		await new Promise<void>((resolve) => {
			server.close(resolve);
		});
	});
});
