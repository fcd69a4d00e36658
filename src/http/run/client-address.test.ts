import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { type Cidr, parseCidr } from "../../kernel/ip.ts";
import { clientAddress } from "./client-address.ts";

/** The parts of a message that are read; test/wire/ tests real connections. */
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
	it("ignores the headers of an untrusted peer", () => {
		const lies = { "x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https" };
		assert.deepEqual(clientAddress(message("203.0.113.9", lies), proxies), {
			ip: "203.0.113.9",
			scheme: "http",
			isClearText: true,
			proxied: false,
		});
		assert.deepEqual(clientAddress(message("10.0.0.1", lies), []), {
			ip: "10.0.0.1",
			scheme: "http",
			isClearText: true,
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
			isClearText: false,
			proxied: true,
		});
	});

	it("reads a header sent several times as one list", () => {
		const rawHeaders = ["X-Forwarded-For", "198.51.100.7", "x-forwarded-for", "10.1.1.1"];
		const repeated = { socket: { remoteAddress: "10.0.0.1" }, rawHeaders } as unknown as IncomingMessage;
		assert.equal(clientAddress(repeated, proxies)?.ip, "198.51.100.7");
	});

	it("takes the left-most entry when every hop is trusted", () => {
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-for": "10.2.2.2, 10.1.1.1" }), proxies)?.ip,
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
			assert.equal(clientAddress(message("10.0.0.1", { "x-forwarded-for": bad }), proxies)?.ip, "10.0.0.1");
		});
	}

	it("ignores entries to the left of the client", () => {
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-for": "junk, 198.51.100.7" }), proxies)?.ip,
			"198.51.100.7",
		);
	});

	it("converts an IPv4-mapped peer to IPv4", () => {
		assert.equal(clientAddress(message("::ffff:203.0.113.9"), proxies)?.ip, "203.0.113.9");
		assert.equal(
			clientAddress(message("::ffff:10.0.0.1", { "x-forwarded-for": "198.51.100.7" }), proxies)?.ip,
			"198.51.100.7",
		);
	});

	it("keeps the socket's scheme for an unknown value", () => {
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-proto": "wss" }, true), proxies)?.scheme,
			"https",
		);
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-proto": "http" }, true), proxies)?.scheme,
			"http",
		);
		assert.equal(
			clientAddress(message("10.0.0.1", { "x-forwarded-proto": "HTTPS" }), proxies)?.scheme,
			"https",
		);
	});

	it("drops the zone of a link-local peer", () => {
		assert.equal(clientAddress(message("fe80::1%eth0"), proxies)?.ip, "fe80::1");
		const linkLocal = [parseCidr("fe80::/10") as Cidr];
		const proxied = message("fe80::1%eth0", { "x-forwarded-for": "198.51.100.7" });
		assert.equal(clientAddress(proxied, linkLocal)?.ip, "198.51.100.7");
	});

	it("has no address for a disconnected peer", () => {
		const gone = {
			socket: {},
			rawHeaders: ["X-Forwarded-For", "198.51.100.7"],
		} as unknown as IncomingMessage;
		assert.equal(clientAddress(gone, [parseCidr("0.0.0.0/0") as Cidr]), undefined);
	});
});
