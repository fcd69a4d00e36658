// Peers that reset their connection at the worst moment: the service must stay up.

import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import tls from "node:tls";
import { freePorts, ownSettings, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { lastingFolder, temporaryFolder } from "../harness/runs/folder.ts";

const HOST = "Host: a\r\n";
/** Each of the three moments of a reset. */
const ROUNDS = atDepth({ quick: 3, all: 3, long: 60 });

const HEADS: Readonly<Record<string, string>> = {
	CONNECT: `CONNECT elsewhere.example:443 HTTP/1.1\r\n${HOST}\r\n`,
	"CONNECT with bytes after it": `CONNECT elsewhere.example:443 HTTP/1.1\r\n${HOST}\r\n${"x".repeat(70_000)}`,
	Upgrade: `GET /health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
	"Expect: 100-continue": `POST /api/v1/access-requests HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
	"an unknown expectation": `GET /health HTTP/1.1\r\n${HOST}Expect: more\r\n\r\n`,
	"malformed bytes": "\0\0\0\r\n\r\n",
	"half a request": `GET /health HTTP/1.1\r\n${HOST}`,
	nothing: "",
};

/** Sends the bytes and resets: immediately, one event loop turn later, or when a response begins. */
async function resetAfter(port: number, secure: boolean, bytes: string, round: number): Promise<void> {
	const raw = net.connect({ host: "127.0.0.1", port });
	const closed = new Promise((resolve) => raw.once("close", resolve));
	const socket = secure ? tls.connect({ socket: raw, rejectUnauthorized: false }) : raw;
	for (const end of [raw, socket]) end.on("error", () => undefined);
	const heard = new Promise((resolve) => socket.once("data", resolve));
	await Promise.race([once(socket, secure ? "secureConnect" : "connect"), closed]);
	socket.write(bytes);
	if (round % 3 === 1) await turn();
	if (round % 3 === 2 && bytes.includes("\r\n\r\n")) await Promise.race([heard, closed]);
	raw.resetAndDestroy();
	await closed;
}

describe("a connection reset after", () => {
	const folder = lastingFolder();
	let program: ReadyProgram;
	let metricsPort = 0;
	before(async () => {
		[metricsPort = 0] = await freePorts(1);
		const env = await ownSettings(join(folder, "data"));
		program = await startProgram({ env: { ...env, LATCHKEY_METRICS_PORT: String(metricsPort) } });
	});
	after(() => program.end());

	for (const [what, bytes] of Object.entries(HEADS)) {
		test(`${what} leaves the service up: HTTP, HTTPS, metrics`, async () => {
			const places = [
				{ port: Number(new URL(program.httpUrl).port), secure: false },
				{ port: Number(new URL(program.httpsUrl).port), secure: true },
				{ port: metricsPort, secure: false },
			];
			for (const { port, secure } of places)
				for (let round = 0; round < ROUNDS; round++) await resetAfter(port, secure, bytes, round);
			assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
			assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status, 200);
			assert.doesNotMatch(program.stderr(), /"level":[56]0/);
		});
	}
});

/** Code that the service runs on SIGUSR2. */
const FAILURES = {
	"a socket without a listener": `
		let peer;
		const server = net.createServer((socket) => socket.on("data", () => peer.resetAndDestroy()));
		server.listen(0, "127.0.0.1", () => {
			peer = net.connect(server.address().port, "127.0.0.1", () => peer.write("x"));
		});`,
	"a mistake": `throw new Error("a mistake");`,
	"a rejected promise": `Promise.reject(Object.assign(new Error("read"), { code: "ECONNRESET", syscall: "read" }));`,
} as const;

describe("an uncaught error", () => {
	async function failing(failure: string, work: (program: ReadyProgram) => Promise<void>): Promise<void> {
		using folder = temporaryFolder();
		const code = `import net from "node:net"; process.on("SIGUSR2", () => { ${failure} });`;
		const nodeOptions = [`--import=data:text/javascript,${encodeURIComponent(code)}`];
		const program = await startProgram({ env: await ownSettings(join(folder.path, "data")), nodeOptions });
		try {
			program.kill("SIGUSR2");
			await work(program);
		} finally {
			await program.end();
		}
	}

	test("of a socket is logged, and the service continues", async () => {
		await failing(FAILURES["a socket without a listener"], async (program) => {
			await program.printed(/"level":50.*ECONNRESET.*the service continues/);
			assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
		});
	});

	for (const what of ["a mistake", "a rejected promise"] as const) {
		test(`of ${what} exits the process with code 70`, async () => {
			await failing(FAILURES[what], async (program) => {
				const { code, stderr } = await program.exited;
				assert.equal(code, 70);
				assert.match(stderr, /"level":60.*crashed/);
			});
		});
	}
});
