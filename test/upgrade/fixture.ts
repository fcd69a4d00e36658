// The database of a released version as files, and the tokens, codes and links that its service had issued.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Client } from "pg";
import type { EngineName, Place } from "../harness/installation.ts";
import type { PersonWithTotp } from "../harness/second-factors.ts";
import type { Credentials } from "../harness/service.ts";

const FOLDER = join(import.meta.dirname, "fixtures");

/** What users, applications and partners held when the service stopped. */
export interface HandedOut {
	/** The clock of the service when it stopped, in milliseconds. */
	readonly atMs: number;
	/** Two sign-ins: to Latchkey itself, and to an application. */
	readonly sessions: readonly { readonly access: string; readonly refresh: string }[];
	readonly person: PersonWithTotp;
	/** A sign-in that waits for its second factor. */
	readonly mfaToken: string;
	readonly client: Credentials;
	/** Headers of an accepted signed request. */
	readonly accepted: Readonly<Record<string, string>>;
	readonly claim: string;
	readonly withdraw: string;
	readonly registration: { readonly email: string; readonly code: string };
	readonly reset: { readonly username: string; readonly token: string };
	readonly administered: {
		readonly adminKey: string;
		readonly invitation: string;
		readonly productName: string;
	};
	/** Recipient of a mail that waits for delivery. */
	readonly waitingMail: string;
}

/** The versions with a fixture. */
export function fixtureVersions(): string[] {
	return readdirSync(FOLDER).sort();
}

export function readHandedOut(version: string, engine: EngineName): HandedOut {
	return JSON.parse(readFileSync(join(FOLDER, version, `${engine}.json`), "utf8"));
}

export function writeFixture(
	version: string,
	engine: EngineName,
	{ database, handedOut }: { readonly database: Buffer; readonly handedOut: HandedOut },
): void {
	mkdirSync(join(FOLDER, version), { recursive: true });
	writeFileSync(join(FOLDER, version, `${engine}.gz`), gzipSync(database, { level: 9 }));
	writeFileSync(join(FOLDER, version, `${engine}.json`), `${JSON.stringify(handedOut, null, "\t")}\n`);
}

/** Writes the database of the version into an empty place. */
export async function placeFixture(version: string, place: Place): Promise<void> {
	const database = gunzipSync(readFileSync(join(FOLDER, version, `${place.engine}.gz`)));
	if (place.databaseUrl === undefined) {
		mkdirSync(place.dataDir, { recursive: true, mode: 0o700 });
		writeFileSync(join(place.dataDir, "latchkey.db"), database, { mode: 0o600 });
		return;
	}
	const client = new Client({ connectionString: place.databaseUrl });
	await client.connect();
	await client.query(database.toString("utf8"));
	await client.end();
}
