// One self-signed certificate for all services of a test run: each start would make its own, for a tenth of a second.

import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { ensureCertificate } from "../../src/adapters/files/serving-certificate.ts";
import { inspectCertificate } from "../../src/crypto/certificate.ts";

/** Set by `npm test` for its processes; a file that runs alone makes certificates as an installation does. */
const FOLDER = process.env.TEST_CERTIFICATE_FOLDER;
const FILES = ["tls-cert.pem", "tls-key.pem"];

/** Makes the pair, as a first start with the default public address does. */
export async function makeSharedCertificate(folder: string): Promise<void> {
	const source = { files: null, dataDir: folder, publicUrl: "https://localhost" };
	await ensureCertificate(source, inspectCertificate, Date.now());
}

/** Puts the run's pair into an empty data folder; a start that needs another one replaces it. */
export function shareCertificate(dataDir: string): void {
	if (FOLDER === undefined) return;
	for (const file of FILES) {
		if (existsSync(join(FOLDER, file))) copyFileSync(join(FOLDER, file), join(dataDir, file));
	}
}
