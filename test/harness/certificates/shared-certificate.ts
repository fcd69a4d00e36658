// One self-signed certificate for all services of a test run; creating one takes a tenth of a second per start.

import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { ensureCertificate } from "../../../src/adapters/files/serving-certificate.ts";
import { inspectCertificate } from "../../../src/crypto/certificate.ts";

/** Set by `npm test`; a single test file creates certificates as an installation does. */
const FOLDER = process.env.TEST_CERTIFICATE_FOLDER;
const FILES = ["tls-cert.pem", "tls-key.pem"];

/** Creates the pair, as a first start with the default public URL does. */
export async function makeSharedCertificate(folder: string): Promise<void> {
	const source = { files: null, dataDir: folder, publicUrl: "https://localhost" };
	await ensureCertificate(source, inspectCertificate, Date.now());
}

/** Copies the shared pair into an empty data directory; a start that needs another one replaces it. */
export function shareCertificate(dataDir: string): void {
	if (FOLDER === undefined) return;
	for (const file of FILES) {
		if (existsSync(join(FOLDER, file))) copyFileSync(join(FOLDER, file), join(dataDir, file));
	}
}
