import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { describe, it } from "node:test";
import { StartError } from "../kernel/start-error.ts";
import { type ListeningPort, startFailure, tryPort } from "./ports.ts";

const HOST = "127.0.0.1";

async function failureOf(act: () => unknown): Promise<unknown> {
	try {
		await act();
	} catch (error) {
		return error;
	}
	throw new Error("it did not fail");
}

describe("startFailure", () => {
	it("names the port that is in use, and its setting", async () => {
		await using server = createServer((socket: Socket) => socket.destroy());
		await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
		const { port } = server.address() as { port: number };
		const ports: ListeningPort[] = [{ setting: "LATCHKEY_PORT", port }];
		const failure = startFailure(HOST, ports, await failureOf(() => tryPort(HOST, port)));
		assert.ok(failure instanceof StartError);
		assert.equal(failure.message, `port ${port} on ${HOST} (LATCHKEY_PORT) is in use by another program`);
	});

	it("names the file that cannot be used, not the host", async () => {
		const path = `${import.meta.dirname}/no-such-file`;
		const failure = startFailure(HOST, [], await failureOf(() => readFileSync(path)));
		assert.ok(failure instanceof StartError);
		assert.equal(failure.message, `${path} cannot be used (open: ENOENT)`);
	});

	it("returns an error of neither kind unchanged", async () => {
		const error = new Error("a fault of the program");
		assert.equal(startFailure(HOST, [], error), error);
	});
});
