import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import https from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { loadConfig } from "../../src/config/load.ts";
import { makeCertificate, putCertificate } from "../harness/certificates/certificate.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { startTestService } from "../harness/service/service.ts";

const PATH = "/docs/tls-cert.pem";

async function presented(url: string): Promise<string> {
	const socket: TLSSocket = connect({ port: Number(new URL(url).port), rejectUnauthorized: false });
	await once(socket, "secureConnect");
	const { raw } = socket.getPeerCertificate();
	socket.destroy();
	return new X509Certificate(raw).fingerprint256;
}

describe("GET /docs/tls-cert.pem", () => {
	it("returns the certificate that the service created, which verifies its TLS, and no key", async () => {
		const service = await startTestService();
		try {
			const response = await service.call<string>("GET", PATH, { https: true });
			assert.equal(response.status, 200);
			assert.equal(response.headers["content-type"], "application/x-pem-file");
			assert.match(response.body, /^-----BEGIN CERTIFICATE-----/);
			assert.doesNotMatch(response.body, /PRIVATE KEY/);
			assert.equal(new X509Certificate(response.body).fingerprint256, await presented(service.httpsUrl));
			const port = new URL(service.httpsUrl).port;
			const request = https.get({ host: "localhost", port, path: "/health", ca: response.body });
			const [answer] = await once(request, "response");
			assert.equal(answer.statusCode, 200);
			await text(answer);
		} finally {
			await service.stop();
		}
	});

	it("follows a reload, and never returns a key that was stored beside the certificate", async () => {
		const service = await startTestService();
		try {
			const { cert, key } = await makeCertificate("localhost");
			writeFileSync(join(service.dataDir, "tls-key.pem"), key);
			writeFileSync(join(service.dataDir, "tls-cert.pem"), `${key}\n${cert}\n${key}`);
			await service.service.reload(() => loadConfig({}));
			const { body } = await service.call<string>("GET", PATH);
			assert.doesNotMatch(body, /PRIVATE KEY/);
			assert.equal(body.match(/-----BEGIN/g)?.length, 1);
			const { fingerprint256 } = new X509Certificate(body);
			assert.equal(fingerprint256, new X509Certificate(cert).fingerprint256);
			assert.equal(fingerprint256, await presented(service.httpsUrl));
		} finally {
			await service.stop();
		}
	});

	it("returns 404 for a configured certificate", async () => {
		using folder = temporaryFolder();
		const { certFile, keyFile } = putCertificate(folder.path, await makeCertificate("localhost"));
		const service = await startTestService({
			env: { LATCHKEY_TLS_CERT: certFile, LATCHKEY_TLS_KEY: keyFile },
		});
		try {
			assert.equal((await service.call("GET", PATH)).status, 404);
		} finally {
			await service.stop();
		}
	});
});
