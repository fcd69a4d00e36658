// Provenance of a release: an in-toto statement (v1) with a SLSA predicate (v1), and its signature in a DSSE envelope.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";

const PAYLOAD_TYPE = "application/vnd.in-toto+json";
/** Described in CONTRIBUTING.md. */
const BUILD_TYPE = "urn:latchkey:npm-run-release:v1";

export interface Build {
	/** Names and SHA-256 digests (hex) of the files of the release. */
	readonly files: ReadonlyMap<string, string>;
	readonly version: string;
	/** The full id of the commit that is checked out. */
	readonly commit: string;
	/** Whether the files may differ from the commit. */
	readonly hasChanges: boolean;
	/** SHA-256 of package-lock.json, in hex. */
	readonly lockDigest: string;
	readonly npmVersion: string;
	readonly startedOn: Date;
	readonly finishedOn: Date;
}

/** The statement as JSON. It says only what this process knows: no builder other than it vouches for it. */
export function provenanceOf(build: Build): string {
	const subject = [...build.files].map(([name, sha256]) => ({ name, digest: { sha256 } }));
	const statement = {
		_type: "https://in-toto.io/Statement/v1",
		subject,
		predicateType: "https://slsa.dev/provenance/v1",
		predicate: {
			buildDefinition: {
				buildType: BUILD_TYPE,
				externalParameters: { version: build.version },
				internalParameters: {
					node: process.version,
					npm: build.npmVersion,
					platform: `${process.platform}-${process.arch}`,
				},
				resolvedDependencies: [
					{
						name: "source",
						digest: { gitCommit: build.commit },
						annotations: { uncommittedChanges: build.hasChanges },
					},
					{ name: "package-lock.json", digest: { sha256: build.lockDigest } },
				],
			},
			runDetails: {
				builder: { id: "urn:latchkey:builder:checkout" },
				metadata: {
					invocationId: `urn:uuid:${randomUUID()}`,
					startedOn: build.startedOn.toISOString(),
					finishedOn: build.finishedOn.toISOString(),
				},
			},
		},
	};
	return `${JSON.stringify(statement, null, "\t")}\n`;
}

/**
 * The DSSE envelope of a statement, as one line of JSON.
 *
 * @param keyFile PEM file of a private key, Ed25519 or ECDSA.
 */
export function signStatement(statement: string, keyFile: string): string {
	const key = createPrivateKey(readFileSync(keyFile));
	const payload = Buffer.from(statement);
	const envelope = {
		payloadType: PAYLOAD_TYPE,
		payload: payload.toString("base64"),
		signatures: [{ keyid: keyId(key), sig: signatureOf(preAuthentication(payload), key) }],
	};
	return `${JSON.stringify(envelope)}\n`;
}

/** What DSSE signs: the type and the payload, each with its length. */
function preAuthentication(payload: Buffer): Buffer {
	const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
	return Buffer.concat([Buffer.from(head), payload]);
}

function signatureOf(content: Buffer, key: KeyObject): string {
	const { asymmetricKeyType: type } = key;
	if (type !== "ed25519" && type !== "ec")
		throw new Error(`the signing key is ${type}; it must be Ed25519 or ECDSA`);
	return sign(type === "ed25519" ? null : "sha256", content, key).toString("base64");
}

/** SHA-256 of the public key (SPKI, DER), in hex. */
function keyId(key: KeyObject): string {
	const spki = createPublicKey(key).export({ type: "spki", format: "der" });
	return createHash("sha256").update(spki).digest("hex");
}
