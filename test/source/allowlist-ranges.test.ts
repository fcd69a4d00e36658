// The pages validate allowlist entries as you type, with the same result as the service.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import {
	boundsOf,
	covers,
	parseRange,
	type Range,
} from "../../pages/console/client-settings/address-range.ts";
import { ERROR_KINDS, REFUSAL_REASONS } from "../../src/kernel/error.ts";
import { cidrContains, parseCidr, parseIp } from "../../src/kernel/ip.ts";

const ENTRIES = [
	...[
		"203.0.113.7",
		"0.0.0.0/0",
		"10.0.0.0/8",
		"10.0.0.1/8",
		"10.0.0.0/33",
		"10.0.0.0/08",
		"10.0.0.0/",
		"/8",
	],
	...[
		"256.0.0.1",
		"1.2.3",
		"1.2.3.4.5",
		"01.2.3.4",
		"1.2.3.04/32",
		"0x10.0.0.1",
		"1.2.3.4 ",
		"",
		"hello",
		"1..2.3",
	],
	...[
		"::",
		"::/0",
		"::1",
		"2001:db8::/32",
		"2001:DB8:0:0:1:0:0:1",
		"2001:db8::1/32",
		"2001:db8::/129",
		"fe80::1%eth0",
	],
	...[
		"1:2:3:4:5:6:7:8",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7::",
		"::2:3:4:5:6:7:8",
		"1::2::3",
		":::",
		"1:2:3:4:5:6:7:8::",
	],
	...[
		"::ffff:10.0.0.0/104",
		"::ffff:10.0.0.0/95",
		"::ffff:10.0.0.1",
		"::ffff:a00:1",
		"::10.0.0.1",
		"64:ff9b::1.2.3.4",
	],
	...[
		"::ffff:010.0.0.1",
		"12345::",
		"g::",
		"1:2:3:4:5:6:1.2.3.4",
		"1:2:3:4:5:6:7:1.2.3.4",
		"1:0:0:2:0:0:0:3",
		"0:0:1::",
	],
	...[
		"2001:db8::/",
		"2001:db8::/ 32",
		"1:2:3:4:5:6:7:8/128",
		"203.0.113.7/32",
		"0:0:0:0:0:ffff:0:0/96",
		":1",
		"1:",
	],
];
const PROBLEMS = {
	hostBits: /host bits/,
	prefix: /invalid prefix length/,
	leadingZero: /leading zero/,
	zone: /zone ID/,
	noAddress: /must be an IPv4 or IPv6/,
} as const;

describe("entries of an allowlist in the pages", () => {
	for (const text of ENTRIES) {
		test(JSON.stringify(text), () => {
			const ours = parseRange(text);
			const theirs = parseCidr(text);
			if ("problem" in theirs) {
				assert.ok("problem" in ours, `the service says it ${theirs.problem.message}`);
				assert.match(theirs.problem.message, PROBLEMS[ours.problem]);
				if (ours.problem === "prefix")
					assert.ok(
						theirs.problem.message.includes(`/${ours.least} to /${ours.most}`),
						theirs.problem.message,
					);
				if (ours.problem === "hostBits")
					assert.ok(theirs.problem.message.includes(ours.range), theirs.problem.message);
				return;
			}
			assert.ok(!("problem" in ours));
			assert.equal(ours.text, theirs.text);
			assert.equal(ours.freeBits, theirs.words.length * 16 - theirs.prefixBits);
			for (const bound of boundsOf(ours)) {
				const address = parseIp(bound);
				assert.ok(address && cidrContains(theirs, address), bound);
			}
		});
	}

	test("a range covers the ranges and addresses in it, only of its IP version", () => {
		const range = (text: string) => parseRange(text) as Range;
		assert.ok(covers(range("10.0.0.0/8"), range("10.255.0.0/16")));
		assert.ok(covers(range("10.0.0.0/8"), range("10.255.255.255")));
		assert.ok(!covers(range("10.255.0.0/16"), range("10.0.0.0/8")));
		assert.ok(!covers(range("10.0.0.0/8"), range("11.0.0.0")));
		assert.ok(!covers(range("::/0"), range("10.0.0.1")));
	});
});

test("refused calls are explained by codes and reasons that exist, and those of clients and gates all are", () => {
	const file = new URL("../../pages/words/console-refusals/en.ts", import.meta.url);
	const [, reasons = ""] = readFileSync(file, "utf8").split("\treasons: {");
	const explained = [...reasons.matchAll(/^\t\t"?([a-z_.]+)"?: \{$/gm)].map(([, key = ""]) => key);
	assert.ok(explained.length >= 12);
	const known = [...Object.keys(ERROR_KINDS), ...REFUSAL_REASONS];
	// OAuth errors have no dot.
	assert.deepEqual(
		explained.filter((key) => key.includes(".") && !known.includes(key)),
		[],
	);
	const notOfCalls = ["gate.not_found", "gate.origin_taken", "gate.key", "gate.sign_in"];
	const ofCalls = known.filter((key) => /^(client|gate)\./.test(key) && !notOfCalls.includes(key));
	assert.deepEqual(
		ofCalls.filter((key) => !explained.includes(key)),
		[],
	);
});
