// The configurations in deploy/gate: nginx, Caddy, and HAProxy make the same decisions, and the application never sees a credential.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import {
	BEHIND_PROXY,
	browserCookie,
	contentDigest,
	type KeyedGate,
	serviceToken,
	sha256,
	signedCall,
} from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { type EchoNode, type Received, startEchoNode } from "../harness/proxies/echo-node.ts";
import { GATE_PROXIES, type GateProxy } from "../harness/proxies/gate-proxies.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import {
	connect,
	exchange,
	type HeaderList,
	type RawResponse,
	requestBytes,
} from "../harness/service/raw-connection.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const RULES = [
	{ path: "/status", needs: "public" },
	{ methods: ["GET"], path: "/orders/*", needs: "orders:read" },
	{ methods: ["POST", "PUT", "DELETE"], path: "/orders/*", needs: "orders:write" },
	{ path: "/me", needs: "signed-in" },
];
/** Everything is public but what some application reads in each hostile target. */
const OPEN_RULES = [
	...["/admin/*", "/x/admin/*", "/~user", "/x/a-b", "/x", "/"].map((path) => ({
		path,
		needs: "orders:admin",
	})),
	{ path: "/*", needs: "public" },
];
const OWN_ORIGIN = "https://localhost:8443";
const EMPTY = sha256("");
/** RFC 6455, section 1.3. */
const WEBSOCKET_ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CREDENTIALS = ["authorization", "dpop", "x-signature", "x-gate-key"];
/** Headers that only the gate may set, in the spellings that applications read as the same header. */
const FORGED = [
	"Latchkey-Caller",
	"latchkey-caller",
	"LATCHKEY-NAME",
	"Latchkey_Caller",
	"latchkey_permissions",
	"Latchkey-Permissions",
	"Latchkey-Body-SHA256",
	"Latchkey-Statement",
	"Latchkey-Mode",
	"Latchkey-Status",
	"Latchkey-Refusal",
	"Latchkey-Reason",
	"X-Gate-Key",
];
const HOSTILE = [
	"/ADMIN",
	"/Admin/users",
	"/%61dmin",
	"/%61dmin/users",
	"/admin%2fusers",
	"/admin%2Fusers",
	"/admin%5cusers",
	"/admin\\users",
	"\\admin",
	"//admin",
	"///admin",
	"/.//admin",
	"/x//admin",
	"/./admin",
	"/x/../admin",
	"/x/..",
	"/..",
	"/../admin",
	"/x/%2e%2e/admin",
	"/x/.%2e/admin",
	"/x/%2E./admin",
	"/%2e/admin",
	"/%2e%2e/admin",
	"/x/..%2fadmin",
	"/x%2f..%2fadmin",
	"/x/..;/admin",
	"/x/;/admin",
	"/admin;x=1",
	"/admin;/users",
	"/;admin",
	"/admin%00",
	"/admin%00.png",
	"/%00admin",
	"/admin%",
	"/admin%2",
	"/admin%zz",
	"/%c0%2e",
	"/%252e%252e/admin",
	"/x/%252e%252e%252fadmin",
	"/admin%252f",
	"/%2561dmin",
	"/admin/..",
	"/admin/../x",
	"/x/.",
	"/x/./",
	"/admin/.",
	"/%41DMIN",
	"/aDMIN/",
	"/x/%5c..%5cadmin",
	"/x\\..\\admin",
	"/%2fadmin",
	"/%2Fadmin",
	"/x/%2e%2e%2fadmin",
	"/%7Euser",
	"/x/a%2db",
	"/x%2E",
	"/admin\tx",
	"/admin\u007f",
	"/x/%2e",
];
const INVALID = "401 signature.invalid";

describe("deploy/gate", () => {
	const service = testService({ env: BEHIND_PROXY });
	const limited = testService({ env: { ...BEHIND_PROXY, LATCHKEY_RATE_LIMIT_PER_MINUTE: "100" } });
	const api = fixture(async () => {
		const { id } = await addApplication(service);
		await addRole(service, id, "reader", ["orders:read"]);
		await addRole(service, id, "writer", ["orders:*"]);
		await addRole(service, id, "clerk", ["orders:read", "orders:write"]);
		const resource = "https://orders.example/api";
		await putOAuthClient(service, { type: "service", resource }, id);
		const gate = (await addGate(service, { rules: RULES, statement: true }, id)) as KeyedGate;
		const partner = await addApiClient(service, { app_id: id, name: "Partner" });
		await service.asAdmin("PUT", `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`, {
			roles: ["writer"],
		});
		const stranger = await addApiClient(service);
		const open = (await addGate(service, { rules: OPEN_RULES })) as KeyedGate;
		return { id, gate, open, partner, stranger, resource };
	});
	const ada = fixture(async () => {
		const person = await addPerson(service, "ada");
		await putGrant(service, api.id, person.id, ["reader"]);
		return { id: person.id, cookie: await browserCookie(service, person) };
	});
	const program = fixture(async () => {
		const { id } = await addApplication(service, { name: "Nightly export" });
		const settings = { type: "service", allowed_resources: [api.resource] };
		const { client_secret: secret = "" } = await putOAuthClient(service, settings, id);
		await service.asAdmin("PUT", `${APPLICATIONS}/${api.id}/grants/programs/${id}`, { roles: ["clerk"] });
		const narrow = await serviceToken(service, { id, secret }, api.resource, "orders:read");
		await service.asAdmin("PUT", `${APPLICATIONS}/${api.id}/grants/programs/${id}`, { roles: ["reader"] });
		return { id, narrow, token: await serviceToken(service, { id, secret }, api.resource) };
	});

	for (const [index, { name, skip, start }] of GATE_PROXIES.entries())
		describe(`for ${name}`, { skip }, () => {
			const app = fixture(startEchoNode);
			const proxy = fixture(() => start({ gate: api.gate, gatePort: service.httpPort, appPort: app.port }));
			const openProxy = fixture(() =>
				start({ gate: api.open, gatePort: service.httpPort, appPort: app.port }),
			);
			after(async () => {
				await proxy.remove?.();
				await openProxy.remove?.();
				await app.close?.();
			});

			const send = (method: string, target: string, sent: Sent = {}) =>
				sendThrough(proxy, method, target, sent);
			const signed = (target: string, options: Parameters<typeof signedCall>[3] = {}) =>
				Object.entries(signedCall(service, api.partner, target, options));
			const partner = () => `200 partner:${api.partner.id}`;
			/** The latest request that reached the application. */
			const reached = () => app.received.at(-1) as Received;
			const outcome = (method: string, target: string, sent: Sent = {}) =>
				outcomeOf(app, () => send(method, target, sent));

			it("lets public requests pass, and refuses unknown callers and paths without a rule", async () => {
				assert.equal(await outcome("GET", "/status"), "200 public");
				assert.equal(await outcome("HEAD", "/status"), "200 public");
				assert.equal(await outcome("GET", "/orders/1"), "401 token.missing");
				assert.equal(await outcome("GET", "/invoices"), "403 gate.no_rule");
				assert.equal(await outcome("PATCH", "/orders/1"), "403 gate.no_rule");
			});

			it("lets a partner's signed request pass once", async () => {
				const target = "/orders/1?a=%20b&c=/../%2F";
				const headers = signed(target);
				assert.equal(await outcome("GET", target, { headers }), partner());
				assert.equal(reached().target, target);
				assert.deepEqual(reached().values("latchkey-body-sha256"), [EMPTY]);
				assert.equal(await outcome("GET", target, { headers }), "401 nonce.reused");
				const old = headers.map(
					([key, value]) => [key, key === "x-timestamp" ? "1000000000" : value] as const,
				);
				assert.equal(await outcome("GET", target, { headers: old }), "401 signature.timestamp");
				assert.equal(await outcome("GET", "/orders/2", { headers: signed("/orders/1") }), INVALID);
				const stranger = { ...api.stranger, app_id: api.id };
				const foreign = Object.entries(signedCall(service, stranger, "/orders/1"));
				assert.equal(await outcome("GET", "/orders/1", { headers: foreign }), INVALID);
			});

			it("lets one of 50 copies pass", async () => {
				const headers = signed("/orders/1");
				const copies = Array.from({ length: 50 }, () => send("GET", "/orders/1", { headers }));
				const statuses = (await Promise.all(copies)).map(({ status }) => status);
				assert.deepEqual(
					[statuses.filter((status) => status === 200).length, statuses.filter((s) => s === 401).length],
					[1, 49],
				);
			});

			it("binds a body to the signature", async () => {
				const body = '{"amount":1}';
				const post = { method: "POST", body };
				for (const chunked of [false, true]) {
					const headers = signed("/orders/1", post);
					assert.equal(await outcome("POST", "/orders/1", { headers, body, chunked }), partner());
					assert.equal(reached().body.toString(), body);
					assert.deepEqual(reached().values("latchkey-body-sha256"), [sha256(body)]);
				}
				const changed = '{"amount":2}';
				const redigested: HeaderList = signed("/orders/1", post).map(([key, value]) => [
					key,
					key === "content-digest" ? contentDigest(changed) : value,
				]);
				assert.equal(await outcome("POST", "/orders/1", { headers: redigested, body: changed }), INVALID);
				const bare = signed("/orders/1", { method: "POST" });
				assert.equal(await outcome("POST", "/orders/1", { headers: bare }), "401 gate.body_unbound");
				const added: HeaderList = [...bare, ["Content-Digest", contentDigest(body)]];
				assert.equal(await outcome("POST", "/orders/1", { headers: added, body }), INVALID);
				// The proxy does not see bodies: the application compares this digest with the body.
				const headers = signed("/orders/1", post);
				assert.equal(await outcome("POST", "/orders/1", { headers, body: changed }), partner());
				assert.deepEqual(reached().values("latchkey-body-sha256"), [sha256(body)]);
			});

			it("refuses a body without Content-Digest for methods that usually have no body", async () => {
				for (const method of ["GET", "DELETE"])
					for (const chunked of [false, true])
						for (const digest of [undefined, "md5=:AAAA:", "x-sha-256=:AAAA:", ""]) {
							const field: HeaderList = digest === undefined ? [] : [["Content-Digest", digest]];
							const headers = [...signed("/orders/1", { method }), ...field];
							const { status, body } = await send(method, "/orders/1", { headers, body: "evil", chunked });
							assert.deepEqual([status, body.error.includes("Content-Digest")], [400, true], method);
						}
				assert.equal(await outcome("GET", "/status", { body: "" }), "200 public");
				const body = '{"ids":[1,2]}';
				for (const chunked of [false, true]) {
					const headers = signed("/orders/1", { method: "DELETE", body });
					assert.equal(await outcome("DELETE", "/orders/1", { headers, body, chunked }), partner());
					assert.equal(reached().body.toString(), body);
				}
			});

			it("returns the metadata of the API, with and without its path, and nothing of the application", async () => {
				const root = "/.well-known/oauth-protected-resource";
				for (const path of [root, `${root}/api`, `${root}/api?x=1`]) {
					const { status, body, headers } = await send("GET", path);
					assert.equal(status, 200, path);
					assert.equal(body.resource, api.resource);
					assert.equal(headers["access-control-allow-origin"], "*");
				}
				const before = app.received.length;
				for (const path of [`${root}/..%2f..%2fstatus`, `${root}/../../status`, `/x/..${root}/../../status`])
					await send("GET", path);
				assert.equal(app.received.length, before);
				assert.equal(await outcome("GET", `${root}s`), "403 gate.no_rule");
				assert.equal((await send("POST", root)).status, 405);
			});

			it("lets programs pass by their token", async () => {
				const withToken = (token: string): Sent => ({ headers: [["Authorization", `Bearer ${token}`]] });
				const { id, token } = program;
				assert.equal(await outcome("GET", "/orders/1", withToken(token)), `200 program:${id}`);
				assert.equal(await outcome("POST", "/orders/1", withToken(token)), "403 application.access_denied");
				await service.asAdmin("PUT", `${APPLICATIONS}/${api.id}/grants/programs/${id}`, { roles: ["clerk"] });
				assert.equal(await outcome("POST", "/orders/1", withToken(program.narrow)), "403 scope.missing");
				const lacking = await send("POST", "/orders/1", withToken(program.narrow));
				assert.equal(
					lacking.headers["www-authenticate"],
					'Bearer error="insufficient_scope", scope="orders:write"',
				);
				await service.asAdmin("PUT", `${APPLICATIONS}/${api.id}/grants/programs/${id}`, {
					roles: ["reader"],
				});
				const broken = withToken(`${token.slice(0, -4)}AAAA`);
				assert.equal(await outcome("GET", "/orders/1", broken), "401 token.invalid");
				const { headers } = await send("GET", "/orders/1", broken);
				assert.match(
					String(headers["www-authenticate"]),
					/^Bearer error="invalid_token", resource_metadata="https:[^"]+\/\.well-known\/oauth-protected-resource\/gate\/[0-9a-f-]{36}"$/,
				);
				const both = { headers: [...signed("/orders/1"), ["Authorization", `Bearer ${token}`] as const] };
				assert.equal(await outcome("GET", "/orders/1", both), "400 gate.two_proofs");
			});

			it("lets people read with their cookie, and write only from the application's origin", async () => {
				const withCookie = (...more: HeaderList): Sent => ({ headers: [["Cookie", ada.cookie], ...more] });
				const own = ["Origin", OWN_ORIGIN] as const;
				assert.equal(await outcome("GET", "/orders/1", withCookie()), `200 person:${ada.id}`);
				assert.equal(await outcome("GET", "/me", withCookie()), `200 person:${ada.id}`);
				assert.equal(await outcome("POST", "/me", withCookie(own)), `200 person:${ada.id}`);
				assert.equal(await outcome("POST", "/orders/1", withCookie(own)), "403 application.access_denied");
				for (const origin of ["https://evil.example", "null"])
					assert.equal(await outcome("POST", "/me", withCookie(["Origin", origin])), "403 gate.origin");
				assert.equal(await outcome("POST", "/me", withCookie()), "403 gate.origin");
			});

			it("refuses cross-site upgrades, and lets only WebSocket take over a connection", async () => {
				const upgrade = (protocol: string, ...more: HeaderList): Sent => ({
					headers: [["Cookie", ada.cookie], ...upgradeTo(protocol), ...more],
				});
				const own = ["Origin", OWN_ORIGIN] as const;
				assert.equal(await outcome("GET", "/me", upgrade("websocket")), "403 gate.origin");
				const foreign = ["Origin", "https://evil.example"] as const;
				assert.equal(await outcome("GET", "/me", upgrade("websocket", foreign)), "403 gate.origin");
				assert.equal(await outcome("GET", "/me", upgrade("websocket", own)), `200 person:${ada.id}`);
				assert.deepEqual(reached().values("upgrade"), ["websocket"]);
				for (const protocol of ["h2c", "websocket, h2c", "TLS/1.2", "websocketx"]) {
					await outcome("GET", "/me", upgrade(protocol, own));
					assert.deepEqual(reached().values("upgrade"), [], protocol);
				}
				for (const [first, second] of [
					["h2c", "websocket"],
					["websocket", "h2c"],
				] as const) {
					await outcome("GET", "/me", upgrade(first, ["Upgrade", second], own));
					assert.doesNotMatch(reached().values("upgrade").join(), /h2c/);
				}
			});

			it("connects a WebSocket", async () => {
				const server = await startUpgradeServer();
				const own = await start({ gate: api.gate, gatePort: service.httpPort, appPort: server.port });
				const wire = connect(own, { secure: true });
				try {
					const headers: HeaderList = [
						["Host", "localhost"],
						["Cookie", ada.cookie],
						["Origin", OWN_ORIGIN],
						...upgradeTo("websocket"),
					];
					wire.write(requestBytes("GET", "/me", headers));
					assert.equal((await wire.next()).status, 101);
					wire.write("ping");
					assert.equal(await wire.closed(), `pong person:${ada.id}`);
				} finally {
					wire.close();
					await own.remove();
					await server.close();
				}
			});

			it("passes on no credential, and nothing that a caller says about itself", async () => {
				const forged: HeaderList = [
					...FORGED.map((key) => [key, "forged"] as const),
					["X-Original-URI", "/status"],
					["X-Original-Method", "GET"],
					["X-Original-Other", "/status"],
					["X-Forwarded-Uri", "/status"],
					["X-Forwarded-Method", "GET"],
					[
						"Connection",
						"Latchkey-Caller, Latchkey-Body-SHA256, X-Gate-Key, X-Forwarded-Uri, X-Forwarded-For",
					],
				];
				assert.equal(await outcome("GET", "/orders/1", { headers: forged }), "401 token.missing");
				const cookie = ["Cookie", ada.cookie] as const;
				const proofs: [string, string, HeaderList][] = [
					["200 public", "/status", [cookie, ["Authorization", "Bearer x"], ["DPoP", "y"]]],
					[partner(), "/orders/1", [...signed("/orders/1"), cookie]],
					[
						`200 program:${program.id}`,
						"/orders/1",
						[["Authorization", `Bearer ${program.token}`], ["DPoP", "y"], cookie],
					],
					[`200 person:${ada.id}`, "/orders/1", [cookie, ["X-Gate-Key", "gk_x"]]],
				];
				for (const [expected, target, proof] of proofs) {
					const headers = [...forged, ...proof, ["X-Kept", "kept"] as const];
					assert.equal(await outcome("GET", target, { headers }), expected);
					const { headers: received } = reached();
					for (const key of CREDENTIALS) assert.equal(received[key], undefined, key);
					// The next hop would remove the headers that it names.
					assert.doesNotMatch(reached().values("connection").join(), /-/);
					const text = JSON.stringify(received);
					for (const secret of [program.token, ada.cookie, api.gate.gate_key, "__Host-", "forged"])
						assert.ok(!text.includes(secret), `${target} ${secret}`);
					assert.deepEqual(received["x-kept"], ["kept"]);
					assert.deepEqual(received["latchkey-tenant"], [api.partner.tenant_id]);
					const [statement = ""] = received["latchkey-statement"] ?? [];
					const claims = JSON.parse(Buffer.from(statement.split(".")[1] ?? "", "base64url").toString());
					assert.equal(`200 ${claims.sub}`, expected);
				}
			});

			it("keeps the cookies of the application", async () => {
				const own = ada.cookie;
				for (const [lines, kept] of [
					[[`a=1; ${own}; b=2`], "a=1 b=2"],
					[[`${own}; b=2`], "b=2"],
					[[`a=1;${own}`], "a=1"],
					[[`__Host-latchkey-gate=x; a=1; __Host-latchkey-gate-state=y; ${own}; b=2`], "a=1 b=2"],
					[["a=1; my__Host-latchkey=2"], "a=1 my__Host-latchkey=2"],
					[["__Host-latchkey-gate=x"], ""],
					[[own, "a=1"], "a=1"],
					[["a=1", own], "a=1"],
				] as const) {
					const headers = lines.map((line) => ["Cookie", line] as const);
					assert.equal(await outcome("GET", "/status", { headers }), "200 public");
					assert.equal(cookiesOf(reached()), kept, lines.join(" + "));
				}
				const many = `a=1; ${`${own}; `.repeat(5)}b=2`;
				assert.equal(await outcome("GET", "/status", { headers: [["Cookie", many]] }), "200 public");
				assert.doesNotMatch(cookiesOf(reached()), /latchkey/);
			});

			it("reports the caller's IP address, method, and target", async () => {
				const from = { ...proxy, localAddress: "127.0.0.5" };
				const target = `/nothing-for-${name}?secret=1`;
				await sendThrough(from, "PURGE", target, { headers: [["X-Forwarded-For", "6.6.6.6"]] });
				const [path] = target.split("?");
				const refusals = await eventually(
					() => service.asAdmin("GET", `/api/v1/refusals?application_id=${api.id}&subject=gate`),
					([latest]) => latest?.path === path,
				);
				const { method, ip, code } = refusals[0] ?? {};
				assert.deepEqual([method, ip, code], ["PURGE", from.localAddress, "gate.no_rule"]);
			});

			it("tells the application itself where a request came from", async () => {
				const from = { ...proxy, localAddress: "127.0.0.6" };
				const forged = "6.6.6.6";
				const headers: HeaderList = [
					["X-Forwarded-For", forged],
					["X-Forwarded-Host", forged],
					["X-Forwarded-Proto", "http"],
					["Forwarded", `for=${forged};host=${forged};proto=http`],
				];
				assert.equal((await sendThrough(from, "GET", "/status", { headers })).status, 200);
				assert.deepEqual(
					["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded"].map((one) =>
						reached().values(one),
					),
					[["127.0.0.6"], ["localhost"], ["https"], ['for="127.0.0.6";host="localhost";proto=https']],
				);
			});

			it("passes no hostile target on", async () => {
				const found: string[] = [];
				for (const [place, allowed] of [
					[openProxy, [400]],
					// /ADMIN is a path without a rule.
					[proxy, [400, 403]],
				] as const)
					for (const target of HOSTILE) {
						const before = app.received.length;
						const { status } = await sendThrough(place, "GET", target, {});
						const sent = app.received.slice(before).map((request) => request.target);
						if (!(allowed as readonly number[]).includes(status) || sent.length > 0)
							found.push(`${target} ${status} ${sent}`);
					}
				assert.deepEqual(found, []);
			});

			it("passes on undecoded what no application reads as the path of another rule", async () => {
				for (const target of [
					"/@scope%2Fpkg/x",
					"/api/v4/projects/a%2fb",
					"/y//z;v=1",
					"/caf%c3%a9%20",
					"/Y/",
				]) {
					const { status } = await sendThrough(openProxy, "GET", target, {});
					assert.deepEqual([status, reached().target], [200, target]);
				}
			});

			it("refuses everything while the gate is not available", async () => {
				const broken = await startBrokenGates();
				const [closed = 0] = await freePorts(1);
				try {
					for (const gatePort of [closed, broken.resetPort, broken.failingPort]) {
						const place = await start({ gate: api.gate, gatePort, appPort: app.port });
						try {
							const before = app.received.length;
							for (const target of ["/status", "/orders/1"]) {
								const { status, headers } = await sendThrough(place, "GET", target, {});
								assert.deepEqual([status, headers["retry-after"]], [503, "1"], `${gatePort} ${target}`);
							}
							assert.equal(app.received.length, before);
						} finally {
							await place.remove();
						}
					}
				} finally {
					await broken.close();
				}
			});

			it("returns 429 with Retry-After, as the gate does", async () => {
				const gate = { ...api.gate, gate_key: "gk_wrong" };
				const place = await start({ gate, gatePort: limited.httpPort, appPort: app.port });
				try {
					// Wrong keys count by IP address, and the service outlives the proxy.
					const from = { ...place, localAddress: `127.0.0.${20 + index}` };
					const seen = new Set<string>();
					for (let request = 0; request < 12; request++) {
						const { status, headers } = await sendThrough(from, "GET", "/status", {});
						seen.add(`${status} ${headers["latchkey-refusal"]} ${Number(headers["retry-after"]) > 0}`);
					}
					assert.deepEqual([...seen], ["401 gate.key false", "429 request.too_many true"]);
				} finally {
					await place.remove();
				}
			});
		});
});

interface Sent {
	readonly headers?: HeaderList;
	readonly body?: string;
	readonly chunked?: boolean;
}

function sendThrough(
	proxy: GateProxy & { readonly localAddress?: string },
	method: string,
	target: string,
	{ headers = [], body, chunked = false }: Sent,
): Promise<RawResponse> {
	const length: HeaderList = chunked
		? [["Transfer-Encoding", "chunked"]]
		: body === undefined
			? []
			: [["Content-Length", String(Buffer.byteLength(body))]];
	const bytes = chunked ? `${Buffer.byteLength(body ?? "").toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
	const all: HeaderList = [["Host", "localhost"], ...headers, ...length];
	return exchange(proxy, requestBytes(method, target, all, bytes), { secure: true, head: method === "HEAD" });
}

function upgradeTo(protocol: string): HeaderList {
	return [
		["Connection", "Upgrade"],
		["Upgrade", protocol],
		["Sec-WebSocket-Version", "13"],
		["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
	];
}

/** The cookies that the application received, sorted as sent. */
function cookiesOf(received: Received): string {
	const cookies = received.values("cookie").flatMap((line) => line.split(";"));
	return cookies
		.map((cookie) => cookie.trim())
		.filter((cookie) => cookie !== "")
		.join(" ");
}

/** Switches protocols, and returns `pong` with the caller for the first bytes. */
async function startUpgradeServer() {
	const server = http.createServer();
	server.on("upgrade", (request, socket) => {
		const accepted = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${WEBSOCKET_ID}`);
		const head = [
			"HTTP/1.1 101 Switching Protocols",
			"Upgrade: websocket",
			"Connection: Upgrade",
			`Sec-WebSocket-Accept: ${accepted.digest("base64")}`,
		];
		socket.write(`${head.join("\r\n")}\r\n\r\n`);
		socket.once("data", () => socket.end(`pong ${request.headers["latchkey-caller"]}`));
	});
	return { port: await listen(server), close: () => stop(server) };
}

/** A gate that closes connections without a response, and one that fails. */
async function startBrokenGates() {
	const reset = http.createServer((request) => request.socket.destroy());
	const failing = http.createServer((_, response) => response.writeHead(500).end());
	return {
		resetPort: await listen(reset),
		failingPort: await listen(failing),
		async close() {
			await stop(reset);
			await stop(failing);
		},
	};
}

async function listen(server: http.Server): Promise<number> {
	await once(server.listen(0, "127.0.0.1"), "listening");
	return (server.address() as AddressInfo).port;
}

async function stop(server: http.Server): Promise<void> {
	server.closeAllConnections();
	server.close();
	await once(server, "close");
}

/** `status caller` of what reached the application, otherwise `status code`. */
async function outcomeOf(app: EchoNode, request: () => Promise<RawResponse>): Promise<string> {
	const before = app.received.length;
	const { status, headers } = await request();
	const [reached, ...others] = app.received.slice(before) as Received[];
	assert.deepEqual(others, []);
	if (reached === undefined) return `${status} ${headers["latchkey-refusal"] ?? "-"}`;
	return `${status} ${reached.values("latchkey-caller").join()}`;
}
