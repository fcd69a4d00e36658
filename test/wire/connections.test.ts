// Limits on open connections, in total and per IP address. New connections replace idle ones, oldest first.

import assert from "node:assert/strict";
import net from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, test } from "node:test";
import { connect, exchange, type RawConnection } from "../harness/service/raw-connection.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const HEALTH = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
/** A request that runs until its body has arrived. */
const RUNNING =
	"POST /api/v1/access-requests HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n";

let service: TestService;
const wires: RawConnection[] = [];
afterEach(async () => {
	for (const wire of wires.splice(0)) wire.close();
	await service.stop();
});

async function start(env: Record<string, string>): Promise<void> {
	service = await startTestService({ metrics: true, env });
}

async function open(
	secure: boolean,
	options: { host?: string; bytes?: string } = {},
): Promise<RawConnection> {
	const { host = "127.0.0.1", bytes = "" } = options;
	const wire = connect({ ...service, host }, { secure });
	wires.push(wire);
	await wire.opened();
	wire.write(bytes);
	if (bytes !== "") await wire.next();
	return wire;
}

async function metric(name: string): Promise<number> {
	const text = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
	return Number(new RegExp(`^latchkey_${name} (\\S+)$`, "m").exec(text)?.[1]);
}

for (const secure of [false, true]) {
	describe(`the limit per address, ${secure ? "HTTPS" : "HTTP"}`, () => {
		test("closes the oldest idle connections, kept-alive and silent, but none in use", async () => {
			await start({ LATCHKEY_MAX_CONNECTIONS_PER_ADDRESS: "4" });
			const running = await open(secure, { bytes: RUNNING });
			const silent = await open(secure);
			const kept = await open(secure, { bytes: HEALTH });
			const newer = await open(secure);
			await open(secure);
			await silent.closed();
			kept.write(HEALTH);
			assert.equal((await kept.next()).status, 200);
			await open(secure);
			// It became idle before the response to the request over the kept connection.
			await newer.closed();
			await open(secure);
			await open(secure);
			await kept.closed();
			running.write("123456789");
			assert.equal((await running.next()).status, 400);
			assert.equal(await metric("connections_refused_total"), 0);
			assert.ok((await metric("connections_freed_total")) >= 4);
		});

		test("refuses a new connection while all are in use, logs it once a minute, and counts it", async () => {
			await start({ LATCHKEY_MAX_CONNECTIONS_PER_ADDRESS: "2" });
			for (let count = 0; count < 2; count++) await open(secure, { bytes: RUNNING });
			for (let count = 0; count < 3; count++) {
				const wire = connect(service, { secure });
				await wire.closed();
			}
			assert.equal(await metric("connections_refused_total"), 3);
			assert.equal(await metric("connections_open"), 2);
			const lines = service.logs().match(/.*connection refused.*/g) ?? [];
			assert.equal(lines.length, 1);
			const { ip, bound, level } = JSON.parse(lines[0] as string);
			assert.deepEqual([ip, bound, level], ["127.0.0.1", "address", 40]);
		});
	});
}

describe("the limit per address", () => {
	test("counts each address separately", async () => {
		await start({ LATCHKEY_HOST: "::", LATCHKEY_MAX_CONNECTIONS_PER_ADDRESS: "1" });
		const four = await open(false);
		const six = await open(false, { host: "::1" });
		for (const wire of [four, six]) {
			wire.write(HEALTH);
			assert.equal((await wire.next()).status, 200);
		}
	});

	test("does not apply to a trusted proxy", async () => {
		await start({
			LATCHKEY_MAX_CONNECTIONS_PER_ADDRESS: "1",
			LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
		});
		for (let count = 0; count < 5; count++) await open(false);
		assert.equal(await metric("connections_open"), 5);
		assert.equal(await metric("connections_freed_total"), 0);
	});

	test("counts an unfinished handshake, and closes it for a new connection", async () => {
		await start({ LATCHKEY_MAX_CONNECTIONS_PER_ADDRESS: "1" });
		const raw = connect({ ...service, httpPort: service.httpsPort }, { secure: false });
		wires.push(raw);
		await raw.opened();
		raw.write("\x16\x03\x01");
		assert.equal((await exchange(service, HEALTH, { secure: true })).status, 200);
		await raw.closed();
	});

	test("serves new requests while one address opens 300 idle connections", async () => {
		await start({ LATCHKEY_MAX_CONNECTIONS_PER_ADDRESS: "20" });
		for (let count = 0; count < 300; count++) await open(count % 2 === 0);
		assert.equal((await exchange(service, HEALTH, { secure: true })).status, 200);
		assert.ok((await metric("connections_open")) <= 20);
	});
});

describe("the limit of all connections", () => {
	test("closes the oldest idle connection of any address, and refuses when none is idle", async () => {
		await start({ LATCHKEY_HOST: "::", LATCHKEY_MAX_CONNECTIONS: "3" });
		const oldest = await open(false, { host: "::1" });
		await open(true);
		await open(false, { bytes: RUNNING });
		await open(false, { bytes: RUNNING });
		await oldest.closed();
		await open(true, { bytes: RUNNING });
		await connect(service, { secure: false }).closed();
		assert.match(service.logs(), /"bound":"total".*connection refused/);
	});

	test("applies to a trusted proxy", async () => {
		await start({ LATCHKEY_MAX_CONNECTIONS: "2", LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" });
		for (let count = 0; count < 5; count++) await open(false);
		assert.equal(await metric("connections_open"), 2);
		assert.equal(await metric("connections_freed_total"), 3);
	});
});

describe("a client that disconnects during its request", () => {
	test("is logged with its own address and counted, and never mistaken for another", async () => {
		await start({ LATCHKEY_LOG_LEVEL: "debug" });
		for (let count = 0; count < 40; count++) {
			const socket = net.connect({ host: "127.0.0.1", port: service.httpPort });
			socket.on("error", () => undefined);
			const closed = new Promise((resolve) => socket.once("close", resolve));
			socket.write(HEALTH.repeat(1 + (count % 3)), () => socket.resetAndDestroy());
			await closed;
		}
		for (let look = 0; look < 200 && (await metric("connections_open")) > 0; look++);
		assert.doesNotMatch(service.logs(), /0\.0\.0\.0/);
		const gone = await open(false, { bytes: RUNNING });
		const before = await metric("http_requests_abandoned_total");
		gone.close();
		for (let look = 0; look < 200 && (await metric("http_requests_abandoned_total")) === before; look++);
		assert.equal(await metric("http_requests_abandoned_total"), before + 1);
		const line = JSON.parse(
			service
				.logs()
				.trim()
				.split("\n")
				.findLast((text) => /client disconnected/.test(text)) ?? "",
		);
		assert.deepEqual([line.method, line.route, line.ip], ["POST", "/api/v1/access-requests", "127.0.0.1"]);
		assert.ok(line.request_id && line.ms >= 0);
	});
});

const [linkLocal] = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
	addresses.filter(({ address }) => address.startsWith("fe80:")).map(({ address }) => ({ address, name })),
);

describe("a link-local peer", {
	skip: linkLocal === undefined && "no interface has a link-local address",
}, () => {
	test("is identified by its address without the zone", async () => {
		await start({ LATCHKEY_HOST: "::", LATCHKEY_RATE_LIMIT_PER_MINUTE: "2", LATCHKEY_LOG_LEVEL: "debug" });
		const { address = "", name = "" } = linkLocal ?? {};
		const statuses: number[] = [];
		for (let count = 0; count < 3; count++)
			statuses.push((await exchange({ ...service, host: `${address}%${name}` }, HEALTH)).status);
		assert.deepEqual(statuses, [200, 200, 429]);
		assert.match(service.logs(), new RegExp(`"ip":"${address}"`));
	});
});
