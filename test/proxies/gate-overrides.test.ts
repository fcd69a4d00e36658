// Rules by method and path hold in front of an application with Rack::MethodOverride, behind nginx, Caddy, and HAProxy.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { firstResponse } from "../harness/openid/example-program.ts";
import { freePorts } from "../harness/processes/program.ts";
import { GATE_PROXIES } from "../harness/proxies/gate-proxies.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { exchange, type HeaderList, requestBytes } from "../harness/service/raw-connection.ts";

/** Debian's Ruby, which finds the packages. */
const RUBY = "/usr/bin/ruby";
const PROGRAM = join(import.meta.dirname, "method-override.rb");
const RULES = [
	{ methods: ["POST"], path: "/orders/*", needs: "public" },
	{ path: "/orders/*", needs: "orders:delete" },
	{ path: "/admin", needs: "orders:admin" },
];
const OVERRIDES = [
	["X-HTTP-Method-Override", "DELETE"],
	["X-HTTP-Method", "DELETE"],
	["X-Method-Override", "DELETE"],
	["X-Original-URL", "/admin"],
	["X-Rewrite-URL", "/admin"],
] as const;
/** What else only the proxy may say, as the program sees it. */
const DESCRIBING = [
	"HTTP_X_FORWARDED_PREFIX",
	"HTTP_TRUE_CLIENT_IP",
	"HTTP_REMOTE_USER",
	"HTTP_X_REMOTE_USER",
	"HTTP_X_REMOTE_GROUP",
];

describe("an application that takes its method from the request", { skip: withoutRack() }, () => {
	const service = testService({ env: BEHIND_PROXY });
	const gate = fixture(async () => (await addGate(service, { rules: RULES })) as KeyedGate);
	const app = fixture(startProgram);
	after(() => app.stop?.());

	for (const { name, skip, start } of GATE_PROXIES)
		describe(`behind ${name}`, { skip }, () => {
			const proxy = fixture(() => start({ gate, gatePort: service.httpPort, appPort: app.port }));
			after(() => proxy.remove?.());
			const post = (target: string, headers: HeaderList = [], body = "") => {
				const all: HeaderList = [["Host", "localhost"], ["Content-Length", `${body.length}`], ...headers];
				return exchange(proxy, requestBytes("POST", target, all, body), { secure: true });
			};

			it("runs the method and the path on which the gate decided", async () => {
				const plain = await post("/orders/7");
				assert.deepEqual([plain.status, plain.body.method, plain.body.path], [200, "POST", "/orders/7"]);
				for (const [header, value] of OVERRIDES)
					for (const spelling of [header, header.replaceAll("-", "_"), header.replace(/-(?=[^-]*$)/, "_")]) {
						const { status, body } = await post("/orders/7", [[spelling, value]]);
						assert.deepEqual([status, body.method, body.path], [200, "POST", "/orders/7"], spelling);
						assert.deepEqual(
							body.names.filter((one: string) => /METHOD|ORIGINAL|REWRITE/.test(one)),
							[],
						);
					}
			});

			it("refuses a method in the query that has another rule", async () => {
				for (const query of ["_method=DELETE", "a=1&_METHOD=delete", "%5fmethod=%44ELETE"]) {
					const { status, headers } = await post(`/orders/7?${query}`);
					assert.deepEqual([status, headers["latchkey-refusal"]], [400, "gate.request"], query);
				}
				assert.equal((await post("/orders/7?_method=POST")).body.method, "POST");
			});

			it("passes on nothing that only the proxy or the gate may say", async () => {
				const headers = DESCRIBING.flatMap((name) => {
					const spelled = name.replace("HTTP_", "");
					return [[spelled.replaceAll("_", "-"), "forged"] as const, [spelled, "forged"] as const];
				});
				const { body } = await post("/orders/7", headers);
				assert.deepEqual(
					DESCRIBING.filter((one) => body.names.includes(one)),
					[],
				);
			});
		});
});

async function startProgram() {
	const [port = 0] = await freePorts(1);
	const env = { PATH: process.env.PATH, PORT: String(port) };
	const child = spawn(RUBY, [PROGRAM], { env, stdio: ["ignore", "ignore", "pipe"] });
	const exited = once(child, "exit");
	const stop = async () => {
		child.kill("SIGKILL");
		await exited;
	};
	await firstResponse(`http://127.0.0.1:${port}/`, child).catch(async (error: unknown) => {
		await stop();
		throw error;
	});
	return { port, stop };
}

/** `false`, or the reason to skip. With `CI` set, a missing program is a failure. */
function withoutRack(): false | string {
	if (process.env.CI !== undefined) return false;
	try {
		execFileSync(RUBY, ["-e", 'require "rack"; require "webrick"; Rack::MethodOverride']);
		return false;
	} catch {
		return "no Ruby with Rack on this machine";
	}
}
