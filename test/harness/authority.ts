// A certificate authority of the test's own, for servers under any name; this process trusts it from the first use on.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";

export interface KeyPair {
	readonly cert: string;
	readonly key: string;
}

export interface Authority {
	/** PEM of the root. */
	readonly certificate: string;
	/** The same in a file, for `NODE_EXTRA_CA_CERTS` of another process. */
	readonly certificateFile: string;
	/** A certificate for these host names and IP addresses, and for no others. */
	issue(names: readonly string[]): Promise<KeyPair>;
}

let authority: Promise<Authority> | undefined;

/** The one authority of this process. */
export function trustedAuthority(): Promise<Authority> {
	authority ??= makeAuthority();
	return authority;
}

async function makeAuthority(): Promise<Authority> {
	// A name of its own: of two roots with the same name only the first would be found.
	const root = await generate([{ name: "commonName", value: `test authority ${process.pid}` }], {
		keyType: "ec",
		algorithm: "sha256",
		...validity(),
		extensions: [
			{ name: "basicConstraints", cA: true, critical: true },
			{ name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
		],
	});
	const folder = mkdtempSync(join(tmpdir(), "latchkey-authority-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	const certificateFile = join(folder, "root.pem");
	writeFileSync(certificateFile, root.cert);
	setDefaultCACertificates([...getCACertificates("default"), root.cert]);
	return {
		certificate: root.cert,
		certificateFile,
		async issue(names) {
			const made = await generate([{ name: "commonName", value: names[0] ?? "" }], {
				keyType: "ec",
				algorithm: "sha256",
				...validity(),
				ca: { key: root.private, cert: root.cert },
				extensions: [
					{ name: "basicConstraints", cA: false },
					{ name: "extKeyUsage", serverAuth: true },
					{
						name: "subjectAltName",
						altNames: names.map((name) =>
							isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
						),
					},
				],
			});
			return { cert: made.cert, key: made.private };
		},
	};
}

function validity() {
	const day = 86_400_000;
	return { notBeforeDate: new Date(Date.now() - day), notAfterDate: new Date(Date.now() + 30 * day) };
}
