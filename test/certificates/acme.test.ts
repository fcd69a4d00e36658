// Certificates from an ACME server, as a client of the service sees them: the first, a renewal, several nodes, and faults.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { connect, type PeerCertificate } from "node:tls";
import { type AcmeServer, startAcmeServer } from "../harness/certificates/acme-server.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase } from "../harness/databases/test-engine.ts";
import { ownSettings, runProgram, startProgram } from "../harness/processes/program.ts";
import { refusalOf } from "../harness/processes/refused-settings.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { openBeside } from "../harness/service/beside-service.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const HOST = "auth.partner.example";
const DAY_MS = 86_400_000;
const skip = skippedWithout("openssl");

interface Served {
	readonly certificate: PeerCertificate;
	readonly isTrusted: boolean;
	readonly protocol: string | false | null;
}

/** What a client of this host gets over TLS. */
function servedBy(service: TestService, protocols: readonly string[] = ["http/1.1"]): Promise<Served> {
	return new Promise((resolve, reject) => {
		const socket = connect(
			{
				port: service.httpsPort,
				host: "127.0.0.1",
				servername: HOST,
				ALPNProtocols: [...protocols],
				rejectUnauthorized: false,
			},
			() => {
				const { authorized: isTrusted, alpnProtocol: protocol } = socket;
				resolve({ certificate: socket.getPeerCertificate(), isTrusted, protocol });
				socket.destroy();
			},
		);
		socket.on("error", reject);
	});
}

/** Waits until it holds, at most 60 seconds. */
async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!(await holds())) {
		assert.ok(performance.now() < deadline, `${what}: not within 60 seconds`);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

const isTrusted = async (service: TestService): Promise<boolean> => (await servedBy(service)).isTrusted;

/** The settings of a service that asks this server. Ports do not matter: the tests take free ones. */
function settings(server: AcmeServer, overTls: boolean): Record<string, string> {
	return {
		LATCHKEY_TLS: "acme",
		LATCHKEY_ACME_DIRECTORY: server.directory,
		LATCHKEY_ACME_EMAIL: "ops@example.com",
		LATCHKEY_PUBLIC_URL: `https://${HOST}`,
		...(overTls && { LATCHKEY_PORT: "0" }),
	};
}

for (const overTls of [false, true]) {
	describe(`a certificate, validated ${overTls ? "over TLS (tls-alpn-01)" : "over HTTP (http-01)"}`, {
		skip,
	}, () => {
		let server: AcmeServer;
		let service: TestService;
		before(async () => {
			server = await startAcmeServer({
				ports: () => service && { http: service.httpPort, https: service.httpsPort },
			});
			service = await startTestService({ env: settings(server, overTls) });
		});
		after(async () => {
			await service.stop();
			await server.close();
		});

		it("replaces the self-signed one without a restart", async () => {
			await until("a trusted certificate", () => isTrusted(service));
			const { certificate } = await servedBy(service);
			assert.equal(certificate.subjectaltname, `DNS:${HOST}`);
			assert.equal(server.orders.length, 1);
			assert.equal(server.accounts, 1);
			assert.ok(server.badNonces > 0, "the server refused a nonce");
		});

		it("is stored with sealed keys, and no challenge stays", async () => {
			await using beside = await opened(service);
			const [row] = await beside.engine.queries.all<Record<string, string>>(
				"SELECT * FROM acme_certificates",
			);
			assert.ok(row);
			assert.match(String(row.account_key_sealed), /^v1\./);
			assert.match(String(row.key_sealed), /^v1\./);
			assert.equal(row.challenge_token, null);
			assert.equal(row.key_authorization, null);
		});

		it("is served to every client, and the protocol of challenges gets no other response", async () => {
			assert.equal((await servedBy(service)).protocol, "http/1.1");
			assert.equal((await servedBy(service, ["h2", "http/1.1"])).protocol, "http/1.1");
			await assert.rejects(servedBy(service, ["h2"]));
		});

		it("is renewed with the same account when a third of its life is left", async () => {
			const { certificate: first } = await servedBy(service);
			service.clock.advance(59 * DAY_MS);
			// Several checks of the certificate.
			await new Promise((resolve) => setTimeout(resolve, 1_000));
			assert.equal(server.orders.length, 1, "too early");
			server.state.lifetimeDays = 365;
			service.clock.advance(2 * DAY_MS);
			await until("a renewed certificate", async () => {
				const { certificate } = await servedBy(service);
				return certificate.serialNumber !== first.serialNumber;
			});
			assert.equal(server.orders.length, 2);
			assert.equal(server.accounts, 1);
		});
	});
}

async function opened(service: TestService) {
	const beside = await openBeside(service);
	return Object.assign(beside, { [Symbol.asyncDispose]: () => beside.close() });
}

describe("an unreachable ACME server", { skip }, () => {
	it("keeps no request waiting, and is named with the reason", async () => {
		const server = await startAcmeServer({ ports: () => ({}) });
		await server.close();
		const service = await startTestService({ env: settings(server, false) });
		try {
			await until("a failure", () => service.logs().includes("certificate not issued"));
			assert.match(
				service.logs(),
				/https:\/\/localhost:\d+\/directory cannot be reached: connect ECONNREFUSED/,
			);
			assert.equal((await service.call("GET", "/health")).status, 200);
		} finally {
			await service.stop();
		}
	});
});

interface HealthBody {
	readonly data: {
		readonly status: string;
		readonly checks: Readonly<Record<string, string>>;
		readonly details?: Readonly<Record<string, string>>;
	};
}

describe("an ACME server that refuses", { skip }, () => {
	let server: AcmeServer;
	let service: TestService;
	before(async () => {
		server = await startAcmeServer({ ports: () => ({ http: service.httpPort }) });
		server.state.mode = "limited";
		service = await startTestService({ env: settings(server, false) });
	});
	after(async () => {
		await service.stop();
		await server.close();
	});

	it("leaves the self-signed certificate in use, says why, and gets another order after a pause", async () => {
		await using beside = await opened(service);
		const health = async () => (await service.call<HealthBody>("GET", "/health")).body.data;
		const stored = async () =>
			(
				await beside.engine.queries.all<{ failures: number; last_error: string; next_attempt_at: number }>(
					"SELECT failures, last_error, next_attempt_at FROM acme_certificates",
				)
			)[0];
		await until("a failure", async () => ((await stored())?.failures ?? 0) === 1);
		const row = await stored();
		assert.match(String(row?.last_error), /too many certificates already issued/);
		assert.ok(Number(row?.next_attempt_at) > service.clock.now() + 30_000);
		assert.match(service.logs(), /certificate not issued, the current one stays in use/);
		await until("a degraded certificate", async () => (await health()).checks.certificate === "degraded");
		const { status, details } = await health();
		assert.equal(status, "ok");
		assert.match(
			details?.certificate ?? "",
			/^orders of a certificate failed: 1; the one in use is valid to 20/,
		);
		assert.equal(await isTrusted(service), false);
		server.state.mode = "normal";
		service.clock.advance(80_000);
		await until("a trusted certificate", () => isTrusted(service));
		assert.equal((await health()).checks.certificate, "ok");
	});
});

describe("a challenge", { skip }, () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	for (const token of ["unknown", "a.b", "%2e%2e", "x".repeat(200), "' OR 1=1 --"])
		it(`that is not pending is 404: ${token.slice(0, 12)}`, async () => {
			const path = `/.well-known/acme-challenge/${encodeURIComponent(token)}`;
			const { status } = await service.call("GET", path);
			assert.equal(status, 404);
		});
});

describe("two nodes", { skip: skip || POSTGRES_SKIPPED }, () => {
	let database: OwnDatabase;
	let server: AcmeServer;
	let nodes: TestService[] = [];
	let env: Record<string, string>;
	before(async () => {
		database = await createPostgresDatabase({ migrated: false });
		// The server asks the second node, whichever orders.
		server = await startAcmeServer({ ports: () => nodes[1] && { http: nodes[1].httpPort } });
		env = {
			...settings(server, false),
			LATCHKEY_DATABASE_URL: database.url,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 6).toString("base64"),
		};
		nodes = [await startTestService({ env }), await startTestService({ env })];
	});
	after(async () => {
		for (const node of nodes) await node.stop();
		await server.close();
		await database.drop();
	});

	it("place one order, and serve the same certificate", async () => {
		for (const node of nodes) await until("a trusted certificate", () => isTrusted(node));
		const serials = await Promise.all(
			nodes.map(async (node) => (await servedBy(node)).certificate.serialNumber),
		);
		assert.equal(new Set(serials).size, 1);
		assert.equal(server.orders.length, 1);
	});

	it("place one more with a node that starts with another server, and all serve its certificate", async () => {
		const other = await startAcmeServer({ ports: () => nodes[1] && { http: nodes[1].httpPort } });
		const third = await startTestService({ env: { ...env, LATCHKEY_ACME_DIRECTORY: other.directory } });
		try {
			const serialOf = async (node: TestService) => (await servedBy(node)).certificate.serialNumber;
			const before = await serialOf(nodes[0] as TestService);
			const all = [...nodes, third];
			await until("the certificate of the other server", async () => {
				const [serial, ...others] = await Promise.all(all.map(serialOf));
				return serial !== before && others.every((each) => each === serial);
			});
			assert.deepEqual([server.orders.length, other.orders.length], [1, 1]);
		} finally {
			await third.stop();
			await other.close();
		}
	});
});

describe("a service that is killed between the challenge and the certificate", { skip }, () => {
	it("orders again at its next start", async () => {
		using folder = temporaryFolder();
		const own = await ownSettings(folder.path);
		const port = Number(own.LATCHKEY_PORT);
		const server = await startAcmeServer({ ports: () => ({ http: port }) });
		const env = {
			...own,
			...settings(server, false),
			NODE_EXTRA_CA_CERTS: server.authority.certificateFile,
		};
		server.state.mode = "hang";
		const killed = await startProgram({ env });
		try {
			await until("a validated order", () => server.orders.some(({ status }) => status === "ready"));
		} finally {
			killed.kill("SIGKILL");
			await killed.exited;
		}
		server.state.mode = "normal";
		const program = await startProgram({ env });
		try {
			await program.printed(/certificate reloaded/);
			const doctor = await runProgram(["doctor", "--skip-integrity"], { env });
			assert.match(doctor.stdout, new RegExp(`for ${HOST}, from the ACME server, valid to `));
		} finally {
			await program.end();
			await server.close();
		}
		assert.equal(server.accounts, 1, "the account survives");
		assert.ok(server.orders.length >= 2);
	});
});

describe("LATCHKEY_TLS=acme is refused", () => {
	const valid = {
		LATCHKEY_TLS: "acme",
		LATCHKEY_ACME_EMAIL: "ops@example.com",
		LATCHKEY_PUBLIC_URL: `https://${HOST}`,
	};
	const refused: readonly (readonly [string, Record<string, string>, RegExp])[] = [
		["without an address", { LATCHKEY_ACME_EMAIL: "" }, /LATCHKEY_ACME_EMAIL/],
		["for an IP address", { LATCHKEY_PUBLIC_URL: "https://192.0.2.1" }, /must be https and a domain name/],
		["for localhost", { LATCHKEY_PUBLIC_URL: "https://localhost:8443" }, /must be https and a domain name/],
		["for http", { LATCHKEY_PUBLIC_URL: `http://${HOST}` }, /must be https and a domain name/],
		["without HTTPS", { LATCHKEY_HTTPS_PORT: "0" }, /LATCHKEY_HTTPS_PORT/],
		["with files", { LATCHKEY_TLS_CERT: "/c.pem", LATCHKEY_TLS_KEY: "/k.pem" }, /unset LATCHKEY_TLS_CERT/],
		["if its settings are set without it", { LATCHKEY_TLS: "files" }, /is set without LATCHKEY_TLS=acme/],
	];
	for (const [what, changes, message] of refused)
		it(what, () => {
			const set = Object.entries({ ...valid, ...changes }).filter(([, value]) => value !== "");
			assert.match(refusalOf(Object.fromEntries(set)), message);
		});
});
