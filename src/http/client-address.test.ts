import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { type Cidr, parseCidr } from "../kernel/ip.ts";
import { clientAddress } from "./client-address.ts";

/** The parts of a message that are read; the wire is tried in test/wire/. */
function message(
	remoteAddress: string,
	headers: Record<string, string> = {},
	encrypted = false,
): IncomingMessage {
	const socket = encrypted ? { remoteAddress, encrypted: true } : { remoteAddress };
	return { socket, rawHeaders: Object.entries(headers).flat() } as unknown as IncomingMessage;
}

const proxies = ["10.0.0.0/8", "fd00::/8"].map((text) => parseCidr(text) as Cidr);

describe("clientAddress", () => {
	it("believes nothing an untrusted peer says", () => {
		const lies = { "x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https" };
		assert.deepEqual(clientAddress(message("203.0.113.9", lies), proxies), {
			ip: "203.0.113.9",
			scheme: "http",
			proxied: false,
		});
		assert.deepEqual(clientAddress(message("10.0.0.1", lies), []), {
			ip: "10.0.0.1",
			scheme: "http",
			proxied: false,
		});
	});

	it("takes the right-most untrusted entry of a trusted proxy", () => {
		const headers = {
			"x-forwarded-for": "6.6.6.6, 198.51.100.7, 10.1.1.1",
			"x-forwarded-proto": "http, https",
		};
		assert.deepEqual(clientAddress(message("10.0.0.1", headers), proxies), {
			ip: "198.51.100.7",
			scheme: "https",
			proxied: true,
		});
	});

	it("reads a header sent several times as one list", () => {
		const rawHeaders = ["X-Forwarded-For", "198.51.100.7", "x-forwarded-for", "10.1.1.1"];
		const repeated = { socket: { remoteAddress: "10.0.0.1" }, rawHeaders } as unknown as IncomingMessage;
		assert.equal(clientAddress(repeated, proxies).ip, "198.51.100.7");
	});

	it("takes the left-most entry when every hop is trusted", () => {
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-for": "10.2.2.2, 10.1.1.1" }), proxies).ip,
			"10.2.2.2",
		);
	});

	for (const bad of [
		"a",
		"198.51.100.7, a",
		"1.2.3.4:5678",
		"[::1]",
		"unknown",
		"010.0.0.1",
		"",
		"198.51.100.7,",
		"fe80::1%eth0",
	]) {
		it(`falls back to the socket when an entry it meets cannot be parsed: "${bad}"`, () => {
			assert.equal(clientAddress(message("10.0.0.1", { "x-forwarded-for": bad }), proxies).ip, "10.0.0.1");
		});
	}

	it("never looks at what stands left of the client", () => {
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-for": "junk, 198.51.100.7" }), proxies).ip,
			"198.51.100.7",
		);
	});

	it("knows an IPv4-mapped peer as the IPv4 address it is", () => {
		assert.equal(clientAddress(message("::ffff:203.0.113.9"), proxies).ip, "203.0.113.9");
		assert.equal(
			clientAddress(message("::ffff:10.0.0.1", { "x-forwarded-for": "198.51.100.7" }), proxies).ip,
			"198.51.100.7",
		);
	});

	it("keeps the socket's scheme for any other word", () => {
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-proto": "wss" }, true), proxies).scheme,
			"https",
		);
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-proto": "http" }, true), proxies).scheme,
			"http",
		);
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-proto": "HTTPS" }), proxies).scheme,
			"https",
		);
	});
});
