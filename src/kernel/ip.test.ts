import assert from "node:assert/strict";
import { isIPv4, isIPv6 } from "node:net";
import { describe, test } from "node:test";
import { type Cidr, cidrContains, type IpAddress, ipInList, parseCidr, parseIp, rateLimitKey } from "./ip.ts";

function ip(text: string): IpAddress {
	const address = parseIp(text);
	assert.ok(address, text);
	return address;
}

function cidr(text: string): Cidr {
	const range = parseCidr(text);
	assert.ok(!("problem" in range), `${text}: ${"problem" in range ? range.problem.message : ""}`);
	return range;
}

describe("parseIp", () => {
	// IPv6 texts: RFC 5952, sections 4 and 5.
	const canonical: [string, string][] = [
		["0.0.0.0", "0.0.0.0"],
		["255.255.255.255", "255.255.255.255"],
		["203.0.113.7", "203.0.113.7"],
		["2001:0db8::0001", "2001:db8::1"],
		["2001:db8:0:0:0:0:2:1", "2001:db8::2:1"],
		["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
		["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
		["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
		["2001:DB8::AbCd", "2001:db8::abcd"],
		["::", "::"],
		["0:0:0:0:0:0:0:1", "::1"],
		["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
		["::ffff:10.0.0.1", "10.0.0.1"],
		["::FFFF:10.0.0.1", "10.0.0.1"],
		["::ffff:a00:1", "10.0.0.1"],
		["0:0:0:0:0:ffff:10.0.0.1", "10.0.0.1"],
		["64:ff9b::10.0.0.1", "64:ff9b::a00:1"],
		["::10.0.0.1", "::a00:1"],
	];
	for (const [given, text] of canonical) {
		test(`${given} is ${text}`, () => assert.equal(parseIp(given)?.text, text));
	}

	const refused = [
		"",
		" ",
		"10.0.0",
		"10.0.0.1.",
		".10.0.0.1",
		"10..0.1",
		"10.0.0.256",
		"10.0.0.1e1",
		"10.0.0.-1",
		"010.0.0.1",
		"10.0.0.00",
		"0x7f.0.0.1",
		"0x7f000001",
		"2130706433",
		"127.1",
		"10.0.0.1 ",
		" 10.0.0.1",
		"10.0.0.1\n",
		"10.0.0.1:80",
		"10.0.0.1/32",
		"१.२.३.४",
		"[::1]",
		"::1]:443",
		":",
		":::",
		"::1::",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"1:2:3:4:5:6:7:8::",
		"12345::",
		"g::",
		"fe80::1%eth0",
		"fe80::1%",
		"::1 ",
		"::ffff:010.0.0.1",
		"::ffff:0x0a.0.0.1",
		"::ffff:10.0.1",
		"::ffff:10.0.0.256",
		"::ffff:10.0.0.1:80",
		"::10.0.0.1:1",
		"localhost",
		"unknown",
		"0".repeat(100_000),
		`${"0:".repeat(50_000)}`,
	];
	for (const text of refused) {
		test(`${JSON.stringify(text.slice(0, 30))} is not an address`, () =>
			assert.equal(parseIp(text), undefined));
	}

	test("parseIp accepts what node:net accepts, and formats IPv6 like the URL standard", () => {
		const alphabet = "0123:::abf.";
		for (let round = 0; round < 20_000; round++) {
			let text = "";
			for (let length = 2 + ((round * 7919) % 17); length > 0; length--) {
				text += alphabet[Math.floor(Math.random() * alphabet.length)];
			}
			const parsed = parseIp(text);
			assert.equal(parsed !== undefined, isIPv4(text) || isIPv6(text), text);
			if (parsed?.words.length === 8) assert.equal(`[${parsed.text}]`, new URL(`http://[${text}]`).hostname);
		}
	});
});

describe("parseCidr", () => {
	const taken: [string, string][] = [
		["10.0.0.1", "10.0.0.1"],
		["10.0.0.1/32", "10.0.0.1/32"],
		["10.0.0.0/8", "10.0.0.0/8"],
		["0.0.0.0/0", "0.0.0.0/0"],
		["192.168.0.128/25", "192.168.0.128/25"],
		["::/0", "::/0"],
		["2001:DB8::/32", "2001:db8::/32"],
		["2001:db8::1", "2001:db8::1"],
		["2001:db8::1/128", "2001:db8::1/128"],
		["2001:db8:0:8000::/49", "2001:db8:0:8000::/49"],
		["::ffff:10.0.0.0/104", "10.0.0.0/8"],
		["::ffff:10.0.0.1", "10.0.0.1"],
		["::ffff:10.0.0.1/128", "10.0.0.1/32"],
		["::ffff:0:0/96", "0.0.0.0/0"],
	];
	for (const [given, text] of taken) test(`${given} is ${text}`, () => assert.equal(cidr(given).text, text));

	const refused: [string, RegExp][] = [
		["10.0.0.1/8", /host bits set; the range is 10\.0\.0\.0\/8$/],
		["10.0.0.129/25", /host bits set/],
		["2001:db8::1/32", /host bits set; the range is 2001:db8::\/32$/],
		["::ffff:10.0.0.1/104", /host bits set; the range is 10\.0\.0\.0\/8$/],
		["::ffff:10.0.0.0/8", /invalid prefix length; use \/96 to \/128$/],
		["::ffff:0.0.0.0/0", /invalid prefix length/],
		["::ffff:0.0.0.0/95", /invalid prefix length/],
		["10.0.0.0/33", /invalid prefix length/],
		["::/129", /invalid prefix length/],
		["10.0.0.0/", /invalid prefix length/],
		["10.0.0.0/08", /invalid prefix length/],
		["10.0.0.0/+8", /invalid prefix length/],
		["10.0.0.0/8.0", /invalid prefix length/],
		["10.0.0.0/1e1", /invalid prefix length/],
		["10.0.0.0/ 8", /invalid prefix length/],
		["10.0.0.0/8/8", /invalid prefix length/],
		["10.0.0.0/255.0.0.0", /invalid prefix length/],
		["10.0.0.0/-1", /invalid prefix length/],
		["010.0.0.0/8", /leading zero/],
		["::ffff:10.0.0.01", /leading zero/],
		["10.0.0/8", /must be an IPv4 or IPv6 address/],
		["/8", /must be an IPv4 or IPv6 address/],
		["", /must be an IPv4 or IPv6 address/],
		["*", /must be an IPv4 or IPv6 address/],
		["example.com", /must be an IPv4 or IPv6 address/],
		["fe80::1%eth0", /zone ID/],
	];
	for (const [given, message] of refused) {
		test(`${JSON.stringify(given)} is refused`, () => {
			const response = parseCidr(given);
			assert.ok("problem" in response, given);
			assert.match(response.problem.message, message);
		});
	}
});

describe("cidrContains", () => {
	const cases: [string, string, boolean][] = [
		["10.0.0.0/8", "10.255.255.255", true],
		["10.0.0.0/8", "11.0.0.0", false],
		["10.0.0.0/8", "8.8.8.8", false],
		["::ffff:10.0.0.0/104", "8.8.8.8", false],
		["10.0.0.0/8", "::ffff:10.1.2.3", true],
		["10.0.0.1", "10.0.0.1", true],
		["10.0.0.1", "10.0.0.2", false],
		["192.168.0.128/25", "192.168.0.127", false],
		["192.168.0.128/25", "192.168.0.128", true],
		["128.0.0.0/1", "255.0.0.0", true],
		["128.0.0.0/1", "127.255.255.255", false],
		["0.0.0.0/0", "203.0.113.7", true],
		["0.0.0.0/0", "::1", false],
		["::/0", "203.0.113.7", false],
		["::/0", "2001:db8::1", true],
		["2001:db8::/33", "2001:db8:7fff::1", true],
		["2001:db8::/33", "2001:db8:8000::1", false],
		["2001:db8::1", "2001:db8::2", false],
		["2001:db8::/127", "2001:db8::1", true],
	];
	for (const [range, address, expected] of cases) {
		test(`${range} ${expected ? "contains" : "does not contain"} ${address}`, () => {
			assert.equal(cidrContains(cidr(range), ip(address)), expected);
		});
	}

	test("a list contains what one of its ranges contains; an empty list contains nothing", () => {
		const list = [cidr("10.0.0.0/8"), cidr("2001:db8::/32")];
		assert.equal(ipInList(list, ip("10.1.1.1")), true);
		assert.equal(ipInList(list, ip("2001:db8::1")), true);
		assert.equal(ipInList(list, ip("192.0.2.1")), false);
		assert.equal(ipInList([], ip("10.1.1.1")), false);
	});
});

describe("rateLimitKey", () => {
	test("every notation of an IPv4 address has the same key", () => {
		assert.equal(rateLimitKey("203.0.113.7"), "203.0.113.7");
		assert.equal(rateLimitKey("::ffff:203.0.113.7"), "203.0.113.7");
	});

	test("IPv6 addresses of one /64 share a key, and the next /64 has another", () => {
		assert.equal(rateLimitKey("2001:db8:1:2::1"), "2001:db8:1:2::/64");
		assert.equal(rateLimitKey("2001:DB8:1:2:ffff:ffff:ffff:ffff"), "2001:db8:1:2::/64");
		assert.equal(rateLimitKey("2001:db8:1:3::1"), "2001:db8:1:3::/64");
		assert.equal(rateLimitKey("::1"), "::/64");
	});

	test("text that is not an address is its own key", () => {
		assert.equal(rateLimitKey("no:address"), "no:address");
		assert.equal(rateLimitKey(""), "");
	});
});
