import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCidr } from "../../../kernel/ip.ts";
import { proposeCidrs } from "./report-allowlist.ts";

const seen = (...ips: string[]) =>
	ips.map((ip, index) => ({ ip, requests: index + 1, firstSeenAtMs: 0, lastSeenAtMs: 0 }));
const proposed = (...ips: string[]): string[] => proposeCidrs(seen(...ips)).map(({ cidr }) => cidr);

describe("proposed CIDRs", () => {
	it("keep one or two addresses of a network separate, most requests first", () => {
		assert.deepEqual(proposed("192.0.2.1", "192.0.2.200"), ["192.0.2.200", "192.0.2.1"]);
		assert.deepEqual(proposed("192.0.2.1", "198.51.100.1", "203.0.113.1").length, 3);
		assert.deepEqual(proposed("2001:db8::1"), ["2001:db8::1"]);
		assert.deepEqual(proposed(), []);
	});

	it("cover three or more of a /24 with the smallest range within it", () => {
		assert.deepEqual(proposed("192.0.2.8", "192.0.2.9", "192.0.2.11"), ["192.0.2.8/30"]);
		assert.deepEqual(proposed("192.0.2.1", "192.0.2.2", "192.0.2.3"), ["192.0.2.0/30"]);
		assert.deepEqual(proposed("192.0.2.0", "192.0.2.255", "192.0.2.9"), ["192.0.2.0/24"]);
		assert.deepEqual(proposed("192.0.2.255", "192.0.3.0", "192.0.3.1"), [
			"192.0.3.1",
			"192.0.3.0",
			"192.0.2.255",
		]);
	});

	it("cover two of an IPv6 /64 with the /64", () => {
		assert.deepEqual(proposed("2001:db8::1", "2001:db8::ffff"), ["2001:db8::/64"]);
		assert.deepEqual(proposed("2001:db8::1", "2001:db8:0:1::1").length, 2);
	});

	it("count addresses and requests, are valid entries, at most as many as an allowlist holds", () => {
		assert.deepEqual(proposeCidrs(seen("192.0.2.8", "192.0.2.9", "192.0.2.11")), [
			{ cidr: "192.0.2.8/30", addresses: 3, requests: 6 },
		]);
		const many = proposed(...Array.from({ length: 250 }, (_, n) => `10.${n}.0.1`));
		assert.equal(many.length, 100);
		for (const cidr of many) assert.ok(!("problem" in parseCidr(cidr)));
	});
});
