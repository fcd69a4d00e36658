// CORS by the configurations in deploy/gate: preflights, refusals, and responses of the application.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { GATE_PROXIES } from "../harness/proxies/gate-proxies.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { exchange, type HeaderList, requestBytes } from "../harness/service/raw-connection.ts";

const PAGE = "https://app.shop.example";
const RULES = [
	{ methods: ["GET", "PUT"], path: "/open/*", needs: "public" },
	{ methods: ["GET"], path: "/orders/*", needs: "signed-in" },
	{ methods: ["OPTIONS"], path: "/own/*", needs: "public" },
];
const EXPOSED = "Latchkey-Refusal, WWW-Authenticate";

describe("deploy/gate lets pages of cors_origins read responses", () => {
	const service = testService({ env: BEHIND_PROXY });
	const gate = fixture(
		async () => (await addGate(service, { rules: RULES, cors_origins: [PAGE] })) as KeyedGate,
	);

	for (const { name, skip, start } of GATE_PROXIES)
		describe(`by ${name}`, { skip }, () => {
			const app = fixture(startApp);
			const proxy = fixture(() => start({ gate, gatePort: service.httpPort, appPort: app.port }));
			after(async () => {
				await proxy.remove?.();
				await app.close?.();
			});
			const send = (method: string, target: string, headers: HeaderList) =>
				exchange(proxy, requestBytes(method, target, [["Host", "localhost"], ...headers]), { secure: true });
			const preflight = (target: string, origin = PAGE, method = "PUT") =>
				send("OPTIONS", target, [
					["Origin", origin],
					["Access-Control-Request-Method", method],
					["Access-Control-Request-Headers", "authorization"],
				]);

			it("responds to a preflight itself", async () => {
				const before = app.count();
				const { status, headers } = await preflight("/open/1");
				assert.deepEqual(
					[
						status,
						headers["access-control-allow-origin"],
						headers["access-control-allow-credentials"],
						headers["access-control-allow-methods"],
						headers["access-control-allow-headers"],
						headers["access-control-max-age"],
						headers.vary,
					],
					[204, PAGE, "true", "PUT", "authorization", "600", "Origin"],
				);
				assert.equal((await preflight("/open/1", "https://evil.example")).status, 403);
				assert.equal((await preflight("/open/1", PAGE, "DELETE")).status, 403);
				assert.equal(app.count(), before);
				// A rule of its own: the application responds.
				assert.equal((await preflight("/own/1", "https://evil.example")).status, 200);
				assert.equal(app.count(), before + 1);
			});

			it("adds the headers to refusals and to responses that have none", async () => {
				const from = [["Origin", PAGE]] as const;
				for (const [target, status] of [
					["/open/1", 200],
					["/orders/1", 401],
				] as const) {
					const { headers, ...response } = await send("GET", target, from);
					assert.equal(response.status, status);
					assert.deepEqual(
						[
							headers["access-control-allow-origin"],
							headers["access-control-allow-credentials"],
							headers["access-control-expose-headers"],
							headers.vary,
						],
						[PAGE, "true", EXPOSED, "Origin"],
						target,
					);
				}
				const own = (await send("GET", "/open/own", from)).headers;
				assert.deepEqual(
					[own["access-control-allow-origin"], own["access-control-allow-credentials"]],
					["*", undefined],
				);
				for (const headers of [[], [["Origin", "https://evil.example"] as const]]) {
					const other = (await send("GET", "/open/1", headers)).headers;
					assert.deepEqual(
						Object.keys(other).filter((one) => one.startsWith("access-control")),
						[],
					);
				}
				assert.doesNotMatch(app.names(), /latchkey-cors|access-control-allow/);
			});
		});
});

/** An application that sends headers for CORS at one path only. */
async function startApp() {
	let count = 0;
	let names = "";
	const server = http.createServer((request, response) => {
		count++;
		names = Object.keys(request.headers).join();
		const own = request.url === "/open/own" ? { "access-control-allow-origin": "*" } : {};
		response.writeHead(200, { ...own, "content-type": "text/plain", "content-length": 2 }).end("ok");
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return {
		port: (server.address() as AddressInfo).port,
		count: () => count,
		names: () => names,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
