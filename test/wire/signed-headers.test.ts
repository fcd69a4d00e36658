// The six headers of a signed request: each exactly once, well-formed, and timely.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import {
	adding,
	changing,
	replacing,
	sendSigned,
	verdict,
	type WireRequest,
	without,
} from "../harness/access/signed-wire.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";
import type { HeaderList } from "../harness/service/raw-connection.ts";

const NOW_SECONDS = 1_800_000_000;
const HEADERS = "401 signature.headers";
const TIMESTAMP = "401 signature.timestamp";
const ALL = ["X-Tenant-ID", "X-App-ID", "X-API-Key", "X-Timestamp", "X-Nonce", "X-Signature"];

const service = testService();
const client = fixture(() => addApiClient(service));
setup(async () => {
	service.clock.standAt(NOW_SECONDS * 1000 + 999);
});

const send = (request: WireRequest): Promise<string> => verdict(sendSigned(service, client, request));

function repeating(name: string, change: (value: string) => string): (headers: HeaderList) => HeaderList {
	return (headers) => [
		...headers,
		...headers
			.filter(([candidate]) => candidate === name)
			.map(([candidate, value]) => [candidate.toLowerCase(), change(value)] as const),
	];
}

for (const name of ALL) {
	describe(name, () => {
		test("missing", async () => assert.equal(await send({ spoil: without(name) }), HEADERS));
		test("empty", async () => assert.equal(await send({ spoil: replacing(name, "") }), HEADERS));
		test("sent twice, with the same or another value, in either order", async () => {
			assert.equal(await send({ spoil: repeating(name, (value) => value) }), HEADERS);
			assert.equal(await send({ spoil: repeating(name, () => "x") }), HEADERS);
			assert.equal(await send({ spoil: (headers) => [[name, "x"], ...headers] }), HEADERS);
			assert.equal(await send({ spoil: adding(name, "") }), HEADERS);
		});
		test("sent twice with three thousand headers in between", async () => {
			const filler: HeaderList = Array.from({ length: 3_000 }, () => ["a", ""]);
			const spoil = (headers: HeaderList) => [...headers, ...filler, [name, "x"] as const];
			assert.equal(await send({ spoil }), HEADERS);
		});
		test("two values in one", async () => {
			const joined = await send({ spoil: changing(name, (value) => `${value}, ${value}`) });
			assert.equal(joined, name === "X-Timestamp" ? TIMESTAMP : HEADERS);
		});
	});
}

describe("X-Tenant-ID and X-App-ID", () => {
	test("are UUIDs", async () => {
		for (const name of ["X-Tenant-ID", "X-App-ID"]) {
			for (const change of [
				(id: string) => id.slice(1),
				(id: string) => `${id}0`,
				(id: string) => id.replaceAll("-", ""),
				(id: string) => `{${id}}`,
				() => "default",
			])
				assert.equal(await send({ spoil: changing(name, change) }), HEADERS);
		}
	});

	test("are the same ids in upper case, and are signed as sent", async () => {
		const upper = {
			...client,
			tenant_id: client.tenant_id.toUpperCase(),
			app_id: client.app_id.toUpperCase(),
		};
		assert.equal(await verdict(sendSigned(service, upper)), "200");
		const spoil = changing("X-App-ID", (id) => id.toUpperCase());
		assert.equal(await send({ spoil }), "401 signature.invalid");
	});
});

describe("X-API-Key", () => {
	test("is ak_ and 16 to 64 characters", async () => {
		for (const [key, expected] of [
			[`ak_${"a".repeat(15)}`, HEADERS],
			[`ak_${"a".repeat(16)}`, "401 signature.invalid"],
			[`ak_${"a".repeat(64)}`, "401 signature.invalid"],
			[`ak_${"a".repeat(65)}`, HEADERS],
			[`sk_${"a".repeat(20)}`, HEADERS],
			[`AK_${"a".repeat(20)}`, HEADERS],
			[`ak_${"a".repeat(20)}'`, HEADERS],
			[`ak_${"a".repeat(20)}\xe9`, HEADERS],
		] as const) {
			assert.equal(await send({ spoil: replacing("X-API-Key", key) }), expected, key);
		}
	});
});

describe("X-Nonce", () => {
	test("is 16 to 128 characters", async () => {
		assert.equal(await send({ nonce: "a".repeat(15) }), HEADERS);
		assert.equal(await send({ nonce: "a".repeat(16) }), "200");
		assert.equal(await send({ nonce: "a".repeat(128) }), "200");
		assert.equal(await send({ nonce: "a".repeat(129) }), HEADERS);
	});

	test("consists of URL-safe characters", async () => {
		assert.equal(await send({ nonce: "AZaz09._~-AZaz09" }), "200");
		for (const bad of ["+", "/", "=", "%41", ",", ";", "*", "!", ":"])
			assert.equal(await send({ nonce: `AZaz09._~-AZaz09${bad}` }), HEADERS, bad);
		for (const bad of [" ", "\t", "\xe9", "\xff"]) {
			const spoil = changing("X-Nonce", (nonce) => `${nonce}${bad}${nonce}`);
			assert.equal(await send({ spoil }), HEADERS, JSON.stringify(bad));
		}
	});

	test("distinguishes upper and lower case", async () => {
		assert.equal(await send({ nonce: "case-matters-here-A" }), "200");
		assert.equal(await send({ nonce: "case-matters-here-a" }), "200");
		assert.equal(await send({ nonce: "case-matters-here-a" }), "401 nonce.reused");
	});
});

describe("X-Timestamp", () => {
	test("differs from the service's clock by at most 300 seconds, to the second", async () => {
		for (const [seconds, expected] of [
			[-301, TIMESTAMP],
			[-300, "200"],
			[0, "200"],
			[300, "200"],
			[301, TIMESTAMP],
		] as const) {
			assert.equal(await send({ timestamp: String(NOW_SECONDS + seconds) }), expected, String(seconds));
		}
	});

	test("is ten digits of seconds, in no other unit or notation", async () => {
		for (const timestamp of [
			`${NOW_SECONDS}000`,
			`${NOW_SECONDS}000000`,
			`0${NOW_SECONDS}`,
			`${NOW_SECONDS}.0`,
			`+${NOW_SECONDS}`,
			`-${NOW_SECONDS}`,
			"18e8",
			"1.8e9",
			"0x6b49d200",
			"800000000",
			"2027-01-15T08:00:00Z",
			"9999999999",
			"0000000000",
		]) {
			assert.equal(await send({ timestamp }), TIMESTAMP, timestamp);
		}
	});

	test("explains the error, with the time of the service", async () => {
		const { body } = await sendSigned(service, client, { timestamp: String(NOW_SECONDS - 301) });
		assert.match(body.detail, new RegExp(`300 s away from the service's clock \\(${NOW_SECONDS}\\)`));
	});
});

describe("X-Signature", () => {
	test("is 64 hex digits in either case", async () => {
		assert.equal(await send({ spoil: changing("X-Signature", (hex) => hex.toUpperCase()) }), "200");
		const mixed = (hex: string) => hex.slice(0, 32).toUpperCase() + hex.slice(32);
		assert.equal(await send({ spoil: changing("X-Signature", mixed) }), "200");
	});

	test("is refused with another length or alphabet", async () => {
		const spoilers: Readonly<Record<string, (hex: string) => string>> = {
			"62 digits": (hex) => hex.slice(2),
			"63 digits": (hex) => hex.slice(1),
			"65 digits": (hex) => `${hex}0`,
			"66 digits": (hex) => `${hex}00`,
			"no hex at the end": (hex) => `${hex.slice(0, 63)}g`,
			"no hex at the front": (hex) => `g${hex.slice(1)}`,
			prefixed: (hex) => `0x${hex.slice(2)}`,
			base64: (hex) => Buffer.from(hex, "hex").toString("base64"),
			"a name before it": (hex) => `sha256=${hex}`,
		};
		for (const [what, change] of Object.entries(spoilers))
			assert.equal(await send({ spoil: changing("X-Signature", change) }), HEADERS, what);
	});
});

describe("the message", () => {
	const message = async (request: WireRequest): Promise<string> =>
		(await sendSigned(service, client, request)).body.detail;

	test("names the header and its error, but not its value", async () => {
		const cases: readonly (readonly [string, (headers: HeaderList) => HeaderList, string])[] = [
			["X-App-ID", without("X-App-ID"), "is missing"],
			["X-Nonce", replacing("X-Nonce", ""), "is empty"],
			["X-Nonce", adding("X-Nonce", "a-second-nonce-1"), "was sent 2 times; it must be sent once"],
			["X-Nonce", replacing("X-Nonce", "short"), "is too short: it has 5 characters and must have 16 to 128"],
			[
				"X-Nonce",
				replacing("X-Nonce", "n".repeat(129)),
				"is too long: it has 129 characters and must have 16 to 128",
			],
			[
				"X-Nonce",
				replacing("X-Nonce", "nonce/with/slashes"),
				"contains a character other than A-Z a-z 0-9 . _ ~ -",
			],
			[
				"X-Signature",
				replacing("X-Signature", `${"A".repeat(43)}=`),
				"contains a character other than 0-9 a-f",
			],
			[
				"X-Signature",
				replacing("X-Signature", "a".repeat(40)),
				"is too short: it has 40 characters and must have 64, or 128 for a key",
			],
			[
				"X-API-Key",
				replacing("X-API-Key", "sk_0123456789abcdef"),
				"must be an API key, which begins with ak_",
			],
			["X-Tenant-ID", replacing("X-Tenant-ID", "-".repeat(36)), "must be a UUID"],
		];
		for (const [name, spoil, problem] of cases)
			assert.equal(await message({ spoil }), `header ${name} ${problem}`);
	});
});
