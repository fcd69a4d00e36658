// A process with few file descriptors accepts fewer connections, so that its writes succeed.

import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

const LIMIT = 64;
/** More connections than descriptors. */
const CLIENTS = 84;
const TRIES = 200;

/** Each request has its own connection. Undefined if the service closed it without a response. */
function submit(port: number, number: number): Promise<number | undefined> {
	const body = JSON.stringify({
		applicant_name: "Ada",
		email: `ada-${number}@partner.example`,
		company: "Partner",
		project_name: "Orders",
		purpose: "Reads orders.",
	});
	return new Promise((resolve) => {
		const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
		const options = { port, host: "127.0.0.1", method: "POST", path: "/api/v1/access-requests", headers };
		const request = http.request({ ...options, agent: false }, (response) => {
			response
				.resume()
				.once("end", () => resolve(response.statusCode))
				.once("error", () => resolve(undefined));
		});
		request.once("error", () => resolve(undefined));
		request.end(body);
	});
}

test(`with ${LIMIT} descriptors and ${CLIENTS} clients, no write is refused for want of a descriptor`, async () => {
	if (process.platform === "win32") return;
	using folder = temporaryFolder();
	const settings = await ownSettings(folder.path);
	const program = await startProgram({
		env: {
			...settings,
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
			LATCHKEY_MAILS_PER_HOUR: "0",
			LATCHKEY_METRICS_PORT: "0",
		},
		node: "/bin/sh",
		nodeOptions: ["-c", `ulimit -n ${LIMIT} && exec "$0" "$@"`, process.execPath],
	});
	const idle: net.Socket[] = [];
	try {
		const port = Number(new URL(program.httpUrl).port);
		const [, text = ""] = await program.printed(
			/"connections":(\d+).*"msg":"fewer connections than configured/,
		);
		const allowed = Number(text);
		assert.ok(allowed >= 8 && allowed <= LIMIT / 2, text);
		for (let count = 0; count < CLIENTS; count++) {
			const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
			idle.push(socket);
			await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
		}
		const statuses = await Promise.all(
			Array.from({ length: CLIENTS }, async (_, number) => {
				for (let attempt = 0; attempt < TRIES; attempt++) {
					const status = await submit(port, number);
					if (status !== undefined) return status;
				}
				return undefined;
			}),
		);
		assert.deepEqual(new Set(statuses), new Set([201]));
		assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
		assert.doesNotMatch(program.stderr(), /EMFILE|unable to open/);
	} finally {
		for (const socket of idle) socket.destroy();
		await program.end();
	}
});
