import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { after, before, describe, it } from "node:test";
import { OutboundError, type ResolveHost } from "./outbound.ts";
import { createHostResolver } from "./resolve-host.ts";

/** A name server: `two.example` has one address of each kind, `silent.example` gets no response, all others do not exist. */
function startNameServer(): Promise<Socket> {
	const server = createSocket("udp4");
	server.on("message", (query, from) => {
		const nameEnd = query.indexOf(0, 12);
		const question = query.subarray(12, nameEnd + 5);
		if (question.includes("silent")) return;
		const known = question.includes("two");
		const isV6 = query.readUInt16BE(nameEnd + 1) === 28;
		const address = isV6
			? Buffer.from("20010db8000000000000000000000007", "hex")
			: Buffer.from([198, 51, 100, 7]);
		const header = Buffer.from(query.subarray(0, 12));
		header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
		header.writeUInt16BE(known ? 1 : 0, 6);
		header.writeUInt16BE(0, 10);
		const record = Buffer.from([0xc0, 12, 0, isV6 ? 28 : 1, 0, 1, 0, 0, 0, 1, 0, address.length]);
		const parts = known ? [header, question, record, address] : [header, question];
		server.send(Buffer.concat(parts), from.port, from.address);
	});
	return new Promise((resolve) => server.bind(0, "127.0.0.1", () => resolve(server)));
}

describe("createHostResolver", () => {
	let server: Socket;
	let resolve: ResolveHost;
	const { signal } = new AbortController();
	before(async () => {
		server = await startNameServer();
		resolve = createHostResolver([`127.0.0.1:${server.address().port}`]);
	});
	after(() => server.close());

	it("returns every address of a name, IPv4 and IPv6", async () => {
		assert.deepEqual(await resolve("two.example", signal), ["198.51.100.7", "2001:db8::7"]);
		assert.deepEqual(await resolve("two.example.", signal), ["198.51.100.7", "2001:db8::7"]);
	});

	it("resolves localhost to this machine without a query", async () => {
		for (const name of ["localhost", "localhost.", "api.localhost"])
			assert.deepEqual(await resolve(name, signal), ["127.0.0.1", "::1"]);
	});

	it("refuses a name without addresses", () =>
		assert.rejects(resolve("absent.example", signal), OutboundError));

	it("stops querying a silent server when it is aborted", async () => {
		const abort = new AbortController();
		const silent = resolve("silent.example", abort.signal);
		// The server responds to other queries in the meantime; only the abort ends this one.
		assert.equal((await resolve("two.example", signal)).length, 2);
		abort.abort();
		await assert.rejects(silent, OutboundError);
	});
});
