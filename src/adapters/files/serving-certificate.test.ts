import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { generate } from "selfsigned";
import type { CertificateFacts } from "./certificate.ts";
import { ensureCertificate } from "./serving-certificate.ts";

const NOW = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;

let dataDir: string;
beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), "latchkey-serve-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function inspect(certPem: string): CertificateFacts {
	const certificate = new X509Certificate(certPem);
	return {
		subject: certificate.subject,
		validFromMs: certificate.validFromDate.getTime(),
		validToMs: certificate.validToDate.getTime(),
		covers: (host) =>
			(isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
		belongsTo: (keyPem) => certificate.checkPrivateKey(createPrivateKey(keyPem)),
	};
}

function ensure(publicUrl = "https://localhost:8443", nowMs = NOW) {
	return ensureCertificate({ files: null, dataDir, publicUrl }, inspect, nowMs);
}

function stored(name: string): string {
	return readFileSync(join(dataDir, name), "utf8");
}

function foreignPair(days: number) {
	const dates = { notBeforeDate: new Date(NOW), notAfterDate: new Date(NOW + days * DAY_MS) };
	return generate([{ name: "commonName", value: "proper.example" }], {
		...dates,
		keyType: "ec",
		algorithm: "sha256",
	});
}

describe("the self-signed pair", () => {
	it("is created once with a private mode, and kept", async () => {
		const first = await ensure();
		assert.equal(first.created, true);
		assert.deepEqual(readdirSync(dataDir).sort(), ["tls-cert.pem", "tls-key.pem"]);
		assert.equal(statSync(join(dataDir, "tls-key.pem")).mode & 0o777, 0o600);
		const second = await ensure();
		assert.deepEqual(second, { ...first, created: false, certPem: stored("tls-cert.pem") });
	});

	it("is EC P-256 for the local names and the public host, valid for less than 825 days", async () => {
		const cases = {
			"https://auth.example.com": "auth.example.com",
			"https://[2001:db8::7]:8443": "2001:db8::7",
		};
		for (const [publicUrl, host] of Object.entries(cases)) {
			const { certPem, validToMs } = await ensure(publicUrl);
			const certificate = new X509Certificate(certPem);
			const facts = inspect(certPem);
			for (const name of ["localhost", "127.0.0.1", "::1", host]) assert.ok(facts.covers(name), name);
			assert.equal(facts.covers("elsewhere.example.com"), false);
			assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
			assert.equal(certificate.ca, false);
			assert.equal(facts.validToMs, validToMs);
			assert.ok(facts.validToMs - facts.validFromMs < 825 * DAY_MS);
			assert.ok(facts.validFromMs < NOW);
		}
	});

	it("serves a client that trusts it", async () => {
		const { certPem, keyPem } = await ensure("https://localhost:8443", Date.now());
		const server = createServer({ cert: certPem, key: keyPem }, (_request, response) =>
			response.end("hello"),
		);
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		try {
			const { port } = server.address() as AddressInfo;
			const request = get({ host: "127.0.0.1", port, ca: certPem, agent: false });
			const [response] = await once(request, "response");
			assert.equal(response.statusCode, 200);
			response.resume();
		} finally {
			server.closeAllConnections();
			server.close();
		}
	});

	it("is renewed 90 days before it expires, not earlier", async () => {
		const { validToMs } = await ensure();
		assert.equal((await ensure(undefined, validToMs - 90 * DAY_MS)).created, false);
		const renewed = await ensure(undefined, validToMs - 90 * DAY_MS + 1);
		assert.equal(renewed.created, true);
		assert.ok(renewed.validToMs > validToMs);
	});

	it("is replaced for another public host", async () => {
		await ensure("https://one.example.com");
		assert.equal((await ensure("https://one.example.com:9443")).created, false);
		assert.equal((await ensure("https://two.example.com")).created, true);
	});

	it("is replaced when a crash left half of it", async () => {
		const first = await ensure();
		rmSync(join(dataDir, "tls-key.pem"));
		const second = await ensure();
		assert.equal(second.created, true);
		writeFileSync(join(dataDir, "tls-cert.pem"), first.certPem);
		assert.equal((await ensure()).created, true, "the old certificate with the new key");
		assert.equal((await ensure()).created, false);
	});
});

describe("a pair that the operator put into the data directory", () => {
	it("is used, and not overwritten when it expires", async () => {
		const { cert, private: key } = await foreignPair(10);
		writeFileSync(join(dataDir, "tls-cert.pem"), cert);
		writeFileSync(join(dataDir, "tls-key.pem"), key);
		assert.equal((await ensure("https://other.example.com")).created, false);
		const late = await ensure(undefined, NOW + 11 * DAY_MS);
		assert.match(late.warning ?? "", /tls-cert\.pem expired at /);
		assert.equal(stored("tls-key.pem"), key);
	});

	it("is refused if it is invalid, and not modified", async () => {
		const { cert, private: key } = await foreignPair(10);
		writeFileSync(join(dataDir, "tls-key.pem"), key);
		await assert.rejects(ensure(), {
			name: "StartError",
			message: /^\S+tls-key\.pem has no certificate; add \S+tls-cert\.pem, or remove the key$/,
		});
		writeFileSync(join(dataDir, "tls-cert.pem"), "nonsense");
		await assert.rejects(ensure(), {
			name: "StartError",
			message: /^certificate \S+ contains no PEM certificate$/,
		});
		writeFileSync(join(dataDir, "tls-cert.pem"), (await foreignPair(9)).cert);
		await assert.rejects(ensure(), { name: "StartError", message: / do not belong together$/ });
		writeFileSync(join(dataDir, "tls-cert.pem"), cert);
		assert.equal((await ensure()).created, false);
		assert.equal(stored("tls-key.pem"), key);
	});
});

describe("a configured pair", () => {
	it("is read, and the data directory is not modified", async () => {
		const elsewhere = mkdtempSync(join(tmpdir(), "latchkey-own-"));
		try {
			const files = { certFile: join(elsewhere, "cert.pem"), keyFile: join(elsewhere, "key.pem") };
			const source = { files, dataDir, publicUrl: "https://localhost:8443" };
			const line = { name: "StartError", message: /^certificate \S+cert\.pem does not exist$/ };
			await assert.rejects(ensureCertificate(source, inspect, NOW), line);
			const { cert, private: key } = await foreignPair(10);
			writeFileSync(files.certFile, cert);
			writeFileSync(files.keyFile, key);
			const pair = await ensureCertificate(source, inspect, NOW);
			assert.deepEqual([pair.certPem, pair.keyPem, pair.created], [cert, key, false]);
			assert.deepEqual(readdirSync(dataDir), []);
		} finally {
			rmSync(elsewhere, { recursive: true, force: true });
		}
	});
});
