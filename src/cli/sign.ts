// `latchkey sign`: makes a signed request and sends it, or prints it. What a partner's first call looks like.

import { readFileSync } from "node:fs";
import { sha256Hex } from "../crypto/digest.ts";
import { randomToken } from "../crypto/random.ts";
import {
	EMPTY_BODY_SHA256,
	NONCE,
	type SignedParts,
	secretKey,
	signRequest,
	stringToSign,
	TIMESTAMP,
} from "../crypto/request-signature.ts";
import { StartError, systemCode } from "../kernel/start-error.ts";
import { curlCommand } from "./curl-command.ts";
import { compareWith, numberedLines } from "./explain-string.ts";
import { sendRequest } from "./send-request.ts";
import { readStandardInput } from "./standard-input.ts";

export interface SignOptions {
	readonly method?: string;
	/** The body; `@file` reads a file, `@-` standard input, byte for byte. */
	readonly data?: string;
	readonly tenant?: string;
	readonly app?: string;
	readonly key?: string;
	readonly timestamp?: string;
	readonly nonce?: string;
	/** Print a curl command instead of sending. */
	readonly print?: boolean;
	/** Print the string that is signed, line by line, and send nothing. */
	readonly explain?: boolean;
	/** A file with another string to sign, `-` standard input: print the first difference, and send nothing. */
	readonly compare?: string;
	/** Accept the service's self-signed certificate. */
	readonly insecure?: boolean;
}

const METHOD = /^[A-Z]{1,16}$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the credentials come from when no option gives them; the Secret only ever from here, never from an argument. */
export const CREDENTIAL_VARIABLES = {
	tenant: "LK_TENANT_ID",
	app: "LK_APP_ID",
	key: "LK_API_KEY",
	secret: "LK_SECRET",
} as const;

/**
 * Signs the request named by an absolute URL and sends it: the answer's body goes to standard output, its status to
 * standard error; a status of 400 or more makes the exit status 1. Nothing of the URL is normalised: its path and
 * query are signed and sent as typed. `explain` and `compare` need no Secret unless a command is printed too; a
 * difference makes the exit status 1.
 *
 * @throws StartError when something is missing or malformed, or nobody answers.
 */
export async function sign(url: string, options: SignOptions, env: Environment): Promise<void> {
	const { origin, target } = splitUrl(url);
	if (options.data === "@-" && options.compare === "-")
		throw new StartError("standard input can be the body or the string to compare with, not both");
	const explains = options.explain === true || options.compare !== undefined;
	const key = explains && !options.print ? undefined : readSecret(env);
	const body = await readBody(options.data);
	const parts: SignedParts = {
		method: checked(
			"--method",
			(options.method ?? (body === undefined ? "GET" : "POST")).toUpperCase(),
			METHOD,
		),
		target,
		tenantId: credential("tenant", options.tenant, env),
		appId: credential("app", options.app, env),
		apiKey: credential("key", options.key, env),
		timestamp: checked("--timestamp", options.timestamp ?? String(Math.floor(Date.now() / 1000)), TIMESTAMP),
		nonce: checked("--nonce", options.nonce ?? randomToken(), NONCE),
		bodySha256: body === undefined ? EMPTY_BODY_SHA256 : sha256Hex(body),
	};
	if (explains) await explain(parts, options);
	if (key === undefined) return;
	const headers = signedHeaders(parts, key, body !== undefined);
	const request = {
		method: parts.method,
		origin,
		target,
		headers,
		body,
		insecure: options.insecure === true,
	};
	if (options.print) {
		console.log(curlCommand(request, options.data));
		return;
	}
	const { status, text } = await sendRequest(request);
	console.error(`HTTP ${status}`);
	console.log(text);
	if (status >= 400) process.exitCode = 1;
}

/** On standard output, or beside a printed command on standard error. */
async function explain(parts: SignedParts, { print, compare }: SignOptions): Promise<void> {
	const say = print ? console.error : console.log;
	const text = stringToSign(parts);
	say(numberedLines(text));
	if (compare === undefined) return;
	const { same, said } = await compareWith(compare, text);
	say(`\n${said}`);
	if (!same) process.exitCode = 1;
}

/** The request-target is whatever follows the authority, exactly as typed. */
function splitUrl(url: string): { origin: string; target: string } {
	const match = /^(https?:\/\/[^/?#\s@]+)(\/[^#\s]*)$/i.exec(url);
	const [, origin = "", target = ""] = match ?? [];
	if (match === null || !URL.canParse(origin))
		throw new StartError(`"${url}" must be an absolute http(s) URL with a path and without a fragment`);
	if (!/^[\x21-\x7e]+$/.test(target))
		throw new StartError(`"${url}" holds characters that must be percent-encoded in a URL`);
	return { origin, target };
}

async function readBody(data: string | undefined): Promise<Buffer | undefined> {
	if (data === undefined) return undefined;
	if (data === "@-") return readStandardInput();
	if (!data.startsWith("@")) return Buffer.from(data);
	try {
		return readFileSync(data.slice(1));
	} catch (cause) {
		throw new StartError(`${data.slice(1)} cannot be read (${systemCode(cause)})`, { cause });
	}
}

function readSecret(env: Environment): ReturnType<typeof secretKey> {
	const secretPlain = env[CREDENTIAL_VARIABLES.secret];
	if (secretPlain) return secretKey(secretPlain);
	throw new StartError(
		`set ${CREDENTIAL_VARIABLES.secret} to the Secret of the API client (it is never sent)`,
	);
}

function credential(name: "tenant" | "app" | "key", given: string | undefined, env: Environment): string {
	const value = given ?? env[CREDENTIAL_VARIABLES[name]];
	if (!value) throw new StartError(`give --${name} or set ${CREDENTIAL_VARIABLES[name]}`);
	return value;
}

function checked(name: string, value: string, pattern: RegExp): string {
	if (!pattern.test(value)) throw new StartError(`${name} must match ${pattern.source}`);
	return value;
}

function signedHeaders(
	parts: SignedParts,
	key: ReturnType<typeof secretKey>,
	hasBody: boolean,
): Record<string, string> {
	let signature: string;
	try {
		signature = signRequest(key, parts);
	} catch (cause) {
		if (!(cause instanceof RangeError)) throw cause;
		throw new StartError(`this cannot be signed: ${cause.message}`, { cause });
	}
	return {
		...(hasBody ? { "Content-Type": "application/json" } : {}),
		"X-Tenant-ID": parts.tenantId,
		"X-App-ID": parts.appId,
		"X-API-Key": parts.apiKey,
		"X-Timestamp": parts.timestamp,
		"X-Nonce": parts.nonce,
		"X-Signature": signature,
	};
}
