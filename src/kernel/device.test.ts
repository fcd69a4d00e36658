import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeDevice, networkOf, readDevice } from "./device.ts";

const SAMPLES: readonly (readonly [userAgent: string, device: string])[] = [
	["Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox on Linux"],
	[
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
		"Chrome on Windows",
	],
	[
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
		"Edge on Windows",
	],
	[
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
		"Safari on macOS",
	],
	[
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
		"Safari on iOS",
	],
	[
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1",
		"Chrome on iOS",
	],
	[
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
		"Chrome on Android",
	],
	[
		"Mozilla/5.0 (Linux; Android 15; V2324A) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/134.0 Mobile Safari/537.36 MicroMessenger/8.0.60",
		"WeChat on Android",
	],
	["curl/8.5.0", "curl"],
	["python-requests/2.32.3", "python-requests"],
	["node", "node"],
	["Mozilla/5.0 (something unknown)", "Unknown device"],
	["", "Unknown device"],
	["<script>alert(1)</script>", "Unknown device"],
	[`${"a".repeat(200)}/1`, "Unknown device"],
];

describe("describeDevice", () => {
	for (const [userAgent, device] of SAMPLES)
		it(`reads ${device} from ${userAgent.slice(0, 60)}`, () =>
			assert.equal(describeDevice(userAgent), device));

	it("consists of the parts that readDevice returns, null if unknown", () => {
		const on = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
		assert.deepEqual(readDevice(on), { client: "Firefox", system: "Linux" });
		assert.deepEqual(readDevice("curl/8.5.0"), { client: "curl", system: null });
		assert.deepEqual(readDevice("Mozilla/5.0 (something unknown)"), { client: null, system: null });
	});

	it("is unchanged after a browser update", () => {
		const of = (version: number) =>
			describeDevice(`Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`);
		assert.equal(of(144), of(145));
	});
});

describe("networkOf", () => {
	it("is the /24 of an IPv4 address and the /48 of an IPv6 address", () => {
		assert.equal(networkOf("192.0.2.77"), "192.0.2.0/24");
		assert.equal(networkOf("::ffff:192.0.2.78"), "192.0.2.0/24");
		assert.equal(networkOf("2001:db8:1:2::3"), "2001:db8:1::/48");
		assert.equal(networkOf(""), "");
	});
});
