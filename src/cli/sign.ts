// `latchkey sign`: signs a request and sends it, prints it as a curl command, or explains its signature.

import { readPrivateFile } from "../app/master-keys.ts";
import { oddSecret } from "../crypto/altered-secret.ts";
import { sha256Hex } from "../crypto/digest.ts";
import { randomToken } from "../crypto/random.ts";
import {
	EMPTY_BODY_SHA256,
	NONCE,
	privateKey,
	SCHEMES,
	type Scheme,
	type SignedParts,
	secretKey,
	signRequest,
	stringToSign,
	TIMESTAMP,
} from "../crypto/request-signature.ts";
import { usageError } from "../kernel/start-error.ts";
import { curlCommand } from "./curl-command.ts";
import { setExitStatus } from "./exit-status.ts";
import { compareWith, numberedLines } from "./explain-string.ts";
import { host } from "./host.ts";
import { printNote, printResult } from "./output.ts";
import { sendRequest } from "./send-request.ts";
import { readInput } from "./standard-input.ts";

interface SignOptions {
	readonly method?: string;
	/** The body; `@file` reads a file, `@-` standard input, byte for byte. */
	readonly data?: string;
	readonly tenant?: string;
	readonly app?: string;
	readonly key?: string;
	/** A file with the private key of a client without a Secret. */
	readonly privateKey?: string;
	readonly timestamp?: string;
	readonly nonce?: string;
	/** Print a curl command instead of sending. */
	readonly print?: boolean;
	/** Print the string to sign, line by line, and send nothing. */
	readonly explain?: boolean;
	/** A file with another string to sign, `-` for standard input: print the first difference, and send nothing. */
	readonly compare?: string;
	/** Accept the service's self-signed certificate. */
	readonly insecure?: boolean;
}

const METHOD = /^[A-Z]{1,16}$/;
/** Requests with other methods have a Content-Digest, by which a gate binds the body to the signature. */
const WITHOUT_BODY = ["GET", "HEAD", "OPTIONS", "DELETE"];

/** Environment variables of the credentials, used when the option is missing. The Secret is never an argument. */
const CREDENTIAL_VARIABLES = {
	tenant: "LK_TENANT_ID",
	app: "LK_APP_ID",
	key: "LK_API_KEY",
	secret: "LK_SECRET",
	privateKey: "LK_PRIVATE_KEY_FILE",
} as const;

/** The variable with the base URL for a relative path, e.g. `https://auth.example.com`. */
const BASE_URL_VARIABLE = "LK_BASE_URL";

/**
 * Signs a request and sends it. Prints the response body on standard output and the status on standard error; a status
 * of 400 or more sets exit status `failed`. Path and query are signed and sent as typed, without normalization.
 * `explain` and `compare` need neither Secret nor key unless a command is printed too; a difference sets exit status `failed`.
 *
 * @param url absolute, or a path below `LK_BASE_URL`.
 * @throws StartError when an argument is missing or malformed, or the server does not respond.
 */
export async function sign(url: string, options: SignOptions): Promise<void> {
	const { origin, target } = splitUrl(absolute(url));
	if (options.data === "@-" && options.compare === "-")
		throw usageError("standard input can be either the body or the string to compare with, not both");
	const explains = options.explain === true || options.compare !== undefined;
	const proof = findProof(options.privateKey);
	const key = explains && !options.print ? undefined : readKey(proof);
	const body = await readBody(options.data);
	const parts: SignedParts = {
		method: checked(
			"--method",
			(options.method ?? (body === undefined ? "GET" : "POST")).toUpperCase(),
			METHOD,
		),
		target,
		tenantId: credential("tenant", options.tenant),
		appId: credential("app", options.app),
		apiKey: credential("key", options.key),
		timestamp: checked("--timestamp", options.timestamp ?? String(Math.floor(Date.now() / 1000)), TIMESTAMP),
		nonce: checked("--nonce", options.nonce ?? randomToken(), NONCE),
		bodySha256: body === undefined ? EMPTY_BODY_SHA256 : sha256Hex(body),
	};
	if (proof.file === undefined) warnOfOddSecret();
	if (explains) await explain(parts, proof, options);
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
		const command = curlCommand(request, options.data);
		return printResult({ command }, command);
	}
	const { status, text } = await sendRequest(request);
	printNote(`HTTP ${status}`);
	printResult({ status, body: text }, text);
	if (status >= 400) setExitStatus("failed");
}

/** Prints on standard output, or on standard error if a command is printed too. */
async function explain(parts: SignedParts, proof: Proof, { print, compare }: SignOptions): Promise<void> {
	const given = compare === undefined ? "" : (await readInput(compare)).toString("utf8");
	const scheme = schemeOfProof(proof) ?? SCHEMES.find((one) => given.startsWith(`${one}\n`));
	const text = stringToSign(parts, scheme);
	const which = scheme === "V1-ED25519" ? "private key" : "Secret";
	const compared = compare === undefined ? undefined : compareWith(compare, given, text, which);
	const lines = [numberedLines(text), ...(compared === undefined ? [] : [`\n${compared.report}`])];
	if (print) for (const line of lines) printNote(line);
	else printResult({ string_to_sign: text, ...compared }, ...lines);
	if (compared?.same === false) setExitStatus("failed");
}

function absolute(url: string): string {
	const base = host().env[BASE_URL_VARIABLE];
	if (!url.startsWith("/") || !base) return url;
	if (/^https?:\/\/[^/?#\s@]+\/?$/i.test(base)) return base.replace(/\/$/, "") + url;
	throw usageError(`${BASE_URL_VARIABLE} is "${base}"; expected a URL like https://auth.example.com`);
}

/** The request target is everything after the authority, as typed. */
function splitUrl(url: string): { origin: string; target: string } {
	const match = /^(https?:\/\/[^/?#\s@]+)(\/[^#\s]*)$/i.exec(url);
	const [, origin = "", target = ""] = match ?? [];
	if (match === null || !URL.canParse(origin))
		throw usageError(
			`"${url}" must be an absolute http(s) URL with a path and without a fragment, or a path with ${BASE_URL_VARIABLE} set`,
		);
	if (!/^[\x21-\x7e]+$/.test(target))
		throw usageError(`"${url}" contains characters that must be percent-encoded in a URL`);
	return { origin, target };
}

async function readBody(data: string | undefined): Promise<Buffer | undefined> {
	if (data === undefined) return undefined;
	return data.startsWith("@") ? readInput(data.slice(1)) : Buffer.from(data);
}

/** At most one of both. */
interface Proof {
	readonly secretPlain: string | undefined;
	/** The file with the private key. */
	readonly file: string | undefined;
}

/** Reads no file. An option replaces the variables. @throws StartError when both variables are set. */
function findProof(option: string | undefined): Proof {
	if (option !== undefined) return { secretPlain: undefined, file: option };
	const { secret, privateKey: variable } = CREDENTIAL_VARIABLES;
	const proof = { secretPlain: host().env[secret] || undefined, file: host().env[variable] || undefined };
	if (proof.secretPlain === undefined || proof.file === undefined) return proof;
	throw usageError(`${secret} and ${variable} exclude each other`);
}

function schemeOfProof({ secretPlain, file }: Proof): Scheme | undefined {
	if (file !== undefined) return "V1-ED25519";
	return secretPlain === undefined ? undefined : "V1-HMAC-SHA256";
}

function readKey({ secretPlain, file }: Proof): ReturnType<typeof secretKey> {
	if (secretPlain !== undefined) return secretKey(secretPlain);
	const { secret, privateKey: variable } = CREDENTIAL_VARIABLES;
	if (file === undefined)
		throw usageError(
			`set ${secret} to the Secret of the API client, or ${variable} to the file with its private key (neither is sent)`,
		);
	const key = privateKey(readPrivateFile(file, file));
	if (key !== undefined) return key;
	throw usageError(`${file} is not an Ed25519 key as PEM without a passphrase`);
}

/** Prints a warning on standard error. The Secret may still be right, so it is used unchanged. */
function warnOfOddSecret(): void {
	const odd = oddSecret(host().env[CREDENTIAL_VARIABLES.secret] || undefined);
	if (odd !== undefined) printNote(`${CREDENTIAL_VARIABLES.secret} ${odd}`);
}

function credential(name: "tenant" | "app" | "key", option: string | undefined): string {
	const value = option ?? host().env[CREDENTIAL_VARIABLES[name]];
	if (!value) throw usageError(`use --${name} or set ${CREDENTIAL_VARIABLES[name]}`);
	return value;
}

function checked(name: string, value: string, pattern: RegExp): string {
	if (!pattern.test(value)) throw usageError(`${name} must match ${pattern.source}`);
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
		throw usageError(`cannot sign this request: ${cause.message}`, { cause });
	}
	const isBound = hasBody || !WITHOUT_BODY.includes(parts.method);
	return {
		...(hasBody ? { "Content-Type": "application/json" } : {}),
		...(isBound ? { "Content-Digest": `sha-256=:${base64Of(parts.bodySha256)}:` } : {}),
		"X-Tenant-ID": parts.tenantId,
		"X-App-ID": parts.appId,
		"X-API-Key": parts.apiKey,
		"X-Timestamp": parts.timestamp,
		"X-Nonce": parts.nonce,
		"X-Signature": signature,
	};
}

function base64Of(hex: string): string {
	return Buffer.from(hex, "hex").toString("base64");
}
