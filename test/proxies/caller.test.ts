// Behind nginx and HAProxy, the service knows the IP address and scheme of each client, and no client can forge either.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { type SignedTarget, sendSigned } from "../harness/access/signed-wire.ts";
import { PROXIES } from "../harness/proxies/proxies.ts";
import { callerOf, hasIpv6, PROXY_ADDRESS } from "../harness/proxies/reverse-proxy.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { connect, exchange, type HeaderList, requestBytes } from "../harness/service/raw-connection.ts";
import type { Credentials } from "../harness/service/service.ts";

const CLAIMS: readonly HeaderList[] = [
	[["X-Forwarded-For", "6.6.6.6"]],
	[["X-Forwarded-For", `6.6.6.6, ${PROXY_ADDRESS}`]],
	[
		["X-Forwarded-For", "6.6.6.6"],
		["X-Forwarded-For", "6.6.6.7"],
	],
	[["X-Forwarded-For", ""]],
	[["X_Forwarded_For", "6.6.6.6"]],
	[["X-Real-IP", "6.6.6.6"]],
	[["Forwarded", "for=6.6.6.6;proto=https"]],
	[["X-Forwarded-Proto", "https"]],
	[["x-forwarded-PROTO", "https, https"]],
	[
		["X-Forwarded-Proto", "http"],
		["X-Forwarded-Proto", "https"],
	],
	[["X-Forwarded-Proto", "http"]],
	[["X-Forwarded-Proto", "https,"]],
	[["X_Forwarded_Proto", "https"]],
	// A header named in Connection is hop-by-hop, and some proxies would drop their own header with it.
	[["Connection", "keep-alive, X-Forwarded-For, X-Forwarded-Proto"]],
	[
		["Connection", "X-Forwarded-For, X-Forwarded-Proto"],
		["X-Forwarded-Proto", "https"],
	],
];
const RATE_LIMIT = 40;

/** The response of `whoami`, or the status of a refusal. */
async function seen(caller: SignedTarget, client: Credentials, secure: boolean, added: HeaderList = []) {
	const { status, body } = await sendSigned(caller, client, {
		secure,
		spoil: (headers) => [...headers, ...added],
	});
	return status === 200 ? `${body.data.ip} ${body.data.scheme}` : String(status);
}

for (const { name, start, skip, sharing, appending } of PROXIES) {
	describe(`who calls through ${name}`, { skip }, () => {
		const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: PROXY_ADDRESS } });
		const proxy = fixture(() => start([{ port: service.httpPort }], sharing), "remove");
		const client = fixture(() => addApiClient(service));

		test("are those of the caller", async () => {
			for (const address of ["127.0.0.2", "127.0.0.3", ...((await hasIpv6()) ? ["::1"] : [])]) {
				const caller = callerOf(proxy, service, address);
				assert.equal(await seen(caller, client, true), `${address} https`);
				assert.equal(await seen(caller, client, false), "426");
			}
		});

		test("are those of the caller despite forged headers", async () => {
			const caller = callerOf(proxy, service, "127.0.0.4");
			for (const claim of CLAIMS) {
				assert.equal(await seen(caller, client, true, claim), "127.0.0.4 https", JSON.stringify(claim));
				assert.equal(await seen(caller, client, false, claim), "426", JSON.stringify(claim));
			}
		});

		test("cannot be forged by a client that bypasses the proxy", async () => {
			const address = "127.0.0.9";
			const direct = callerOf(service, service, address);
			for (const claim of CLAIMS) {
				assert.equal(await seen(direct, client, true, claim), `${address} https`, JSON.stringify(claim));
				assert.equal(await seen(direct, client, false, claim), "426", JSON.stringify(claim));
			}
		});

		test("cannot choose a request id or the host of a link", async () => {
			const headers: HeaderList = [
				["Host", "evil.example"],
				["X-Forwarded-Host", "evil.example"],
				["X-Request-Id", "chosen"],
			];
			const response = await exchange(proxy, requestBytes("GET", "/openapi.json", headers));
			assert.match(response.text, /localhost:8443/);
			assert.ok(!response.text.includes("evil"));
			assert.match(response.headers["x-request-id"] ?? "", /^[0-9a-f-]{32,36}$/);
		});
	});

	describe(`${name} that appends to what callers say`, { skip }, () => {
		const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: PROXY_ADDRESS } });
		const proxy = fixture(() => start([{ port: service.httpPort }], appending), "remove");
		const client = fixture(() => addApiClient(service));

		test("takes precedence", async () => {
			const caller = callerOf(proxy, service, "127.0.0.5");
			for (const claim of CLAIMS) {
				assert.equal(await seen(caller, client, true, claim), "127.0.0.5 https", JSON.stringify(claim));
				assert.equal(await seen(caller, client, false, claim), "426", JSON.stringify(claim));
			}
		});
	});

	describe(`the rate limit behind ${name}`, { skip }, () => {
		const service = testService(() => {
			const env = {
				LATCHKEY_TRUSTED_PROXIES: PROXY_ADDRESS,
				LATCHKEY_RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT),
			};
			return { env };
		});
		const proxy = fixture(() => start([{ port: service.httpPort }], sharing), "remove");

		test("counts each client separately, over persistent connections and with forged headers", async () => {
			assert.equal(await admitted("127.0.0.6", RATE_LIMIT + 10), RATE_LIMIT);
			assert.equal(await admitted("127.0.0.6", 5), 0);
			assert.equal(await admitted("127.0.0.7", RATE_LIMIT), RATE_LIMIT);
		});

		async function admitted(localAddress: string, count: number): Promise<number> {
			const wire = connect({ ...proxy, localAddress }, { secure: true });
			let passed = 0;
			for (let request = 0; request < count; request++) {
				const headers: HeaderList = [
					["Host", "a"],
					["X-Forwarded-For", `6.6.6.${request}`],
				];
				wire.write(requestBytes("GET", "/nothing", headers));
				if ((await wire.next()).status !== 429) passed++;
			}
			wire.close();
			return passed;
		}
	});
}
