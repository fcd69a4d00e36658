#!/usr/bin/env node
// `latchkey-sign`: sends a signed request, or explains its signature line by line, for partners without a checkout.

import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { hex } from "./bytes.ts";
import type { Credentials, Proof } from "./sign.ts";
import { signedFetch } from "./signed-fetch.ts";

const USAGE = `Usage: latchkey-sign sign [options] PATH      send a signed request
       latchkey-sign explain [options] PATH   print the string to sign; send nothing

  -X, --method METHOD   default: GET, or POST with a body
  --data TEXT           the body; @FILE reads a file and @- standard input, byte for byte
  --compare FILE        explain: print the first line that differs from a string to sign of yours
  --timestamp SECONDS   explain: default now, or line 7 of FILE
  --nonce TEXT          explain: default random, or line 8 of FILE
  --help

The credentials are read from LK_BASE_URL, LK_TENANT_ID, LK_APP_ID, LK_API_KEY, and either LK_SECRET or
LK_PRIVATE_KEY_FILE, a file (PEM) that only you can read; explain needs neither.
Exit status: 0; 1 for a response of 400 or more, no response, or a difference; 2 for wrong usage.
`;

const KEY_SCHEME = "V1-ED25519";
const LINES = [
	"algorithm",
	"method",
	"request target",
	"X-Tenant-ID",
	"X-App-ID",
	"X-API-Key",
	"X-Timestamp",
	"X-Nonce",
	"SHA-256 of the body",
];

/** The user can correct the command. */
class UsageError extends Error {}

async function run(args: string[]): Promise<number> {
	const { values, positionals } = parsed(args);
	if (values.help) {
		process.stdout.write(USAGE);
		return 0;
	}
	const [command, path, ...others] = positionals;
	if ((command !== "sign" && command !== "explain") || path === undefined || others.length > 0)
		throw new UsageError(USAGE.trimEnd());
	const body = bodyOf(values.data);
	const method = (values.method ?? (body === undefined ? "GET" : "POST")).toUpperCase();
	const { origin, pathname, search } = urlOf(path);
	const credentials = {
		url: origin,
		tenantId: variable("LK_TENANT_ID"),
		appId: variable("LK_APP_ID"),
		apiKey: variable("LK_API_KEY"),
	};
	if (command === "sign") return await send({ ...credentials, ...proof() }, method, path, body);
	return await explain(credentials, method, pathname + search, body ?? new Uint8Array(), values);
}

function parsed(args: string[]) {
	try {
		return parseArgs({
			args,
			allowPositionals: true,
			options: {
				method: { type: "string", short: "X" },
				data: { type: "string" },
				compare: { type: "string" },
				timestamp: { type: "string" },
				nonce: { type: "string" },
				help: { type: "boolean" },
			},
		});
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

async function send(
	credentials: Credentials,
	method: string,
	path: string,
	body: Uint8Array<ArrayBuffer> | undefined,
): Promise<number> {
	// No retries: the caller wants to see the reason of a refusal.
	const response = await signedFetch(credentials, { retries: 0 })(path, {
		method,
		headers: {
			accept: "application/problem+json",
			...(body && { "content-type": "application/json" }),
		},
		...(body && { body }),
	});
	process.stderr.write(`HTTP ${response.status}\n`);
	process.stdout.write(`${await response.text()}\n`);
	return response.status < 400 ? 0 : 1;
}

async function explain(
	credentials: Credentials,
	method: string,
	target: string,
	body: Uint8Array<ArrayBuffer>,
	{ timestamp, nonce, compare }: { timestamp?: string; nonce?: string; compare?: string },
): Promise<number> {
	const given = compare === undefined ? undefined : fileOf(compare).toString("utf8");
	// Both differ in every request: a difference in them would hide the one that matters.
	const [givenScheme, , , , , , givenTimestamp, givenNonce] = given?.split("\n") ?? [];
	const { LK_SECRET: secret, LK_PRIVATE_KEY_FILE: file } = process.env;
	const isKey = file ? true : !secret && givenScheme === KEY_SCHEME;
	const lines = [
		isKey ? KEY_SCHEME : "V1-HMAC-SHA256",
		method,
		target,
		credentials.tenantId,
		credentials.appId,
		credentials.apiKey,
		timestamp ?? valid(givenTimestamp, /^[0-9]{10}$/) ?? `${Math.floor(Date.now() / 1000)}`,
		nonce ?? valid(givenNonce, /^[A-Za-z0-9._~-]{16,128}$/) ?? crypto.randomUUID(),
		hex(await crypto.subtle.digest("SHA-256", body)),
	];
	const text = lines.join("\n");
	const numbered = lines.map((line, index) => `${index + 1}  ${line}\n`).join("");
	process.stdout.write(
		`string to sign, ${lines.length} lines joined by LF, none after the last:\n${numbered}`,
	);
	if (given === undefined) return 0;
	if (given === text) {
		const which = isKey ? "private key" : "Secret";
		process.stdout.write(`identical: if the signature is refused, check the ${which} and the client\n`);
		return 0;
	}
	const givenLines = given.split("\n");
	const index = lines.findIndex((line, at) => line !== givenLines[at]);
	const place = index === -1 ? lines.length : index;
	const shown = (line: string | undefined) => (line === undefined ? "no such line" : JSON.stringify(line));
	process.stdout.write(
		`differs in line ${place + 1} (${LINES[place] ?? "after the last"})\n` +
			`  signed here  ${shown(lines[place])}\n  given        ${shown(givenLines[place])}\n`,
	);
	return 1;
}

function valid(text: string | undefined, pattern: RegExp): string | undefined {
	return text !== undefined && pattern.test(text) ? text : undefined;
}

function proof(): Proof {
	const { LK_SECRET: secret, LK_PRIVATE_KEY_FILE: file } = process.env;
	if (secret && file) throw new UsageError("set LK_SECRET or LK_PRIVATE_KEY_FILE, not both");
	if (file) return { privateKey: privateFile(file) };
	if (secret) return { secret };
	throw new UsageError("set LK_SECRET, or LK_PRIVATE_KEY_FILE if the client has a key");
}

/** Reads mode and text of one open file, so that it cannot be replaced in between. */
function privateFile(name: string): string {
	let mode: number;
	let text: string;
	try {
		const file = openSync(name, "r");
		mode = fstatSync(file).mode & 0o777;
		text = readFileSync(file, "utf8");
		closeSync(file);
	} catch (error) {
		throw unreadable(name, error);
	}
	if (process.platform === "win32" || (mode & 0o077) === 0) return text;
	const shown = mode.toString(8).padStart(4, "0");
	throw new UsageError(`${name} is open to other users (mode ${shown}): close it with chmod 600`);
}

function variable(name: string): string {
	const value = process.env[name];
	if (!value) throw new UsageError(`set ${name}`);
	return value;
}

function urlOf(path: string): URL {
	const base = path.startsWith("/") ? variable("LK_BASE_URL") : undefined;
	if (!URL.canParse(path, base)) throw new UsageError(`"${path}" is neither a path nor a URL`);
	return new URL(path, base);
}

function bodyOf(data: string | undefined): Uint8Array<ArrayBuffer> | undefined {
	if (data === undefined) return undefined;
	return new Uint8Array(data.startsWith("@") ? fileOf(data.slice(1)) : Buffer.from(data));
}

/** @param name `-` is standard input */
function fileOf(name: string): Buffer {
	try {
		return readFileSync(name === "-" ? 0 : name);
	} catch (error) {
		throw unreadable(name, error);
	}
}

function unreadable(name: string, error: unknown): UsageError {
	return new UsageError(`cannot read ${name}: ${error instanceof Error ? error.message : error}`);
}

try {
	process.exitCode = await run(process.argv.slice(2));
} catch (error) {
	const { cause, message } = error as Error;
	// The reason of "fetch failed" is its cause.
	process.stderr.write(`${message}${cause instanceof Error ? `: ${cause.message}` : ""}\n`);
	process.exitCode = error instanceof UsageError ? 2 : 1;
}
