import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { generate } from "selfsigned";
import { type CertificateFacts, readCertificate, reloadCertificate } from "./certificate.ts";

const FROM = Date.UTC(2026, 0, 1);
const TO = Date.UTC(2027, 0, 1);
const DURING = Date.UTC(2026, 6, 1);

type Pems = Awaited<ReturnType<typeof generate>>;
let ec: Pems;
let otherEc: Pems;
let rsa: Pems;

let base: string;
let files: { certFile: string; keyFile: string };

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

function write(cert: string, key: string): void {
	writeFileSync(files.certFile, cert);
	writeFileSync(files.keyFile, key, { mode: 0o600 });
}

function read(nowMs = DURING) {
	return readCertificate(files, inspect, nowMs);
}

before(async () => {
	const dates = { notBeforeDate: new Date(FROM), notAfterDate: new Date(TO), algorithm: "sha256" };
	const name = [{ name: "commonName", value: "test.example" }];
	ec = await generate(name, { ...dates, keyType: "ec" });
	otherEc = await generate(name, { ...dates, keyType: "ec" });
	rsa = await generate(name, dates);
});
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "latchkey-cert-"));
	files = { certFile: join(base, "cert.pem"), keyFile: join(base, "key.pem") };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("readCertificate", () => {
	it("returns EC and RSA pairs, and complete chains", () => {
		for (const { cert, private: key } of [ec, rsa]) {
			write(`${cert}\n${otherEc.cert}`, key);
			assert.deepEqual(read(), { certPem: `${cert}\n${otherEc.cert}`, keyPem: key, validToMs: TO });
		}
	});

	it("warns of an expired or future certificate, to the millisecond", () => {
		write(ec.cert, ec.private);
		assert.equal(read(TO).warning, undefined);
		assert.equal(read(TO + 1).warning, `certificate ${files.certFile} expired at 2027-01-01T00:00:00.000Z`);
		assert.equal(read(FROM).warning, undefined);
		assert.equal(
			read(FROM - 1).warning,
			`certificate ${files.certFile} is not valid before 2026-01-01T00:00:00.000Z`,
		);
	});

	const bad: readonly (readonly [name: string, prepare: () => void, line: RegExp])[] = [
		[
			"no certificate file",
			() => writeFileSync(files.keyFile, ec.private),
			/^certificate \S+cert\.pem does not exist$/,
		],
		["no key file", () => writeFileSync(files.certFile, ec.cert), /^TLS key \S+key\.pem does not exist$/],
		[
			"a directory instead of a file",
			() => mkdirSync(files.certFile),
			/^certificate \S+cert\.pem cannot be read \(EISDIR\)$/,
		],
		[
			"an empty certificate",
			() => write("", ec.private),
			/^certificate \S+cert\.pem contains no PEM certificate$/,
		],
		["an empty key", () => write(ec.cert, ""), /^TLS key \S+key\.pem contains no PEM private key$/],
		[
			"the files swapped",
			() => write(ec.private, ec.cert),
			/^certificate \S+cert\.pem contains no PEM certificate$/,
		],
		[
			"half a key",
			() => write(ec.cert, ec.private.slice(0, 90)),
			/^TLS key \S+key\.pem is not usable \(\S+\)$/,
		],
		[
			"another key",
			() => write(ec.cert, otherEc.private),
			/^certificate \S+ and TLS key \S+ do not belong together$/,
		],
		[
			"another kind of key",
			() => write(ec.cert, rsa.private),
			/^certificate \S+ and TLS key \S+ do not belong together$/,
		],
		[
			"a broken chain",
			() => write(`${ec.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, ec.private),
			/^certificate \S+ and TLS key \S+ are not usable together \(\S+\)$/,
		],
	];
	for (const [name, prepare, line] of bad) {
		it(`refuses ${name}`, () => {
			prepare();
			assert.throws(() => read(), { name: "StartError", message: line });
		});
	}

	it("refuses a key with a passphrase", async () => {
		const locked = await generate([{ name: "commonName", value: "x" }], { keyType: "ec", passphrase: "p" });
		write(locked.cert, locked.private);
		const message = /^TLS key \S+key\.pem is protected by a passphrase; provide it without one$/;
		assert.throws(() => read(), { name: "StartError", message });
	});
});

describe("reloadCertificate", () => {
	it("returns the new pair, and refuses one that clients would refuse", () => {
		write(ec.cert, ec.private);
		assert.equal(reloadCertificate(files, inspect, DURING).certPem, ec.cert);
		write(otherEc.cert, otherEc.private);
		assert.equal(reloadCertificate(files, inspect, DURING).certPem, otherEc.cert);
		assert.throws(() => reloadCertificate(files, inspect, TO + 1), {
			name: "StartError",
			message: /expired at/,
		});
		write(ec.cert, otherEc.private);
		assert.throws(() => reloadCertificate(files, inspect, DURING), { name: "StartError" });
	});
});
