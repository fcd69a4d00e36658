import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAddressRule } from "./address-rule.ts";
import { parseCidr, parseIp } from "./ip.ts";

describe("createAddressRule", () => {
	const allows = (rule: ReturnType<typeof createAddressRule>, text: string): boolean =>
		rule(parseIp(text) ?? assert.fail(text));
	const none = createAddressRule([]);

	it("allows public addresses", () => {
		for (const ip of [
			"1.1.1.1",
			"9.255.255.255",
			"11.0.0.0",
			"100.63.255.255",
			"100.128.0.0",
			"126.255.255.255",
		])
			assert.ok(allows(none, ip), ip);
		for (const ip of ["172.15.255.255", "172.32.0.0", "192.167.255.255", "223.255.255.255", "168.63.129.15"])
			assert.ok(allows(none, ip), ip);
		for (const ip of ["2606:4700:4700::1111", "2a00:1450::1", "2001:200::1", "::ffff:8.8.8.8"])
			assert.ok(allows(none, ip), ip);
	});

	it("refuses every kind of non-public address", () => {
		const forbidden = {
			"this network": ["0.0.0.0", "0.255.255.255", "::"],
			loopback: ["127.0.0.1", "127.255.255.255", "::1"],
			private: [
				"10.0.0.0",
				"10.255.255.255",
				"172.16.0.0",
				"172.31.255.255",
				"192.168.0.0",
				"192.168.255.255",
			],
			"unique local": ["fc00::1", "fdff:ffff::1"],
			"link-local": ["169.254.0.0", "169.254.255.255", "fe80::1", "febf::1"],
			"carrier NAT": ["100.64.0.0", "100.127.255.255"],
			multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
			"reserved and broadcast": ["240.0.0.1", "255.255.255.255", "192.0.0.1", "4000::1", "5f00::1"],
			metadata: ["169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"],
			documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
			benchmarks: ["198.18.0.1", "198.19.255.255"],
			"IPv4 inside IPv6": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1"],
			NAT64: ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
			"6to4 and Teredo": ["2002:7f00:1::", "2002:808:808::", "2001::1", "192.88.99.1"],
			"site-local": ["fec0::1"],
		};
		for (const [kind, addresses] of Object.entries(forbidden))
			for (const ip of addresses) assert.ok(!allows(none, ip), `${kind}: ${ip}`);
	});

	it("allows the listed networks and no other private ones", () => {
		const cidrs = ["10.20.0.0/16", "fd12:3456::/32"].map((text) => {
			const cidr = parseCidr(text);
			return "problem" in cidr ? assert.fail(text) : cidr;
		});
		const some = createAddressRule(cidrs);
		for (const ip of ["10.20.0.0", "10.20.255.255", "::ffff:10.20.1.1", "fd12:3456::1", "1.1.1.1"])
			assert.ok(allows(some, ip), ip);
		for (const ip of ["10.19.255.255", "10.21.0.0", "fd12:3457::1", "127.0.0.1"])
			assert.ok(!allows(some, ip), ip);
	});
});
