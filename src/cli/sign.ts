// `latchkey sign`: makes a signed request and sends it, or prints it. What a partner's first call looks like.

import { readFileSync } from "node:fs";
import https from "node:https";
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
import { StartError } from "../kernel/start-error.ts";

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
	/** Print the string that is signed. */
	readonly explain?: boolean;
	/** Accept the service's self-signed certificate. */
	readonly insecure?: boolean;
}

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
 * query are signed and sent as typed.
 *
 * @throws StartError when something is missing or malformed.
 */
export async function sign(
	url: string,
	options: SignOptions,
	env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
	const { origin, target } = splitUrl(url);
	const body = readBody(options.data);
	const secretPlain = env[CREDENTIAL_VARIABLES.secret];
	if (!secretPlain)
		throw new StartError(
			`set ${CREDENTIAL_VARIABLES.secret} to the Secret of the API client (it is never sent)`,
		);
	const parts: SignedParts = {
		method: (options.method ?? (body === undefined ? "GET" : "POST")).toUpperCase(),
		target,
		tenantId: credential("tenant", options.tenant, env),
		appId: credential("app", options.app, env),
		apiKey: credential("key", options.key, env),
		timestamp: checked("--timestamp", options.timestamp ?? String(Math.floor(Date.now() / 1000)), TIMESTAMP),
		nonce: checked("--nonce", options.nonce ?? randomToken(), NONCE),
		bodySha256: body === undefined ? EMPTY_BODY_SHA256 : sha256Hex(body),
	};
	const headers = signedHeaders(parts, secretPlain, body !== undefined);
	if (options.explain) console.error(`string to sign:\n${stringToSign(parts)}\n`);
	if (options.print) {
		console.log(curlCommand(parts.method, `${origin}${target}`, headers, options));
		return;
	}
	if (!origin.startsWith("https:")) throw new StartError("open APIs require HTTPS: give an https:// URL");
	await send(origin, parts, headers, body, options.insecure === true);
}

/** The request-target is whatever follows the authority, exactly as typed. */
function splitUrl(url: string): { origin: string; target: string } {
	const match = /^(https?:\/\/[^/?#\s]+)(\/[^#\s]*)$/i.exec(url);
	if (match === null)
		throw new StartError(`"${url}" must be an absolute http(s) URL with a path and without a fragment`);
	return { origin: match[1] as string, target: match[2] as string };
}

function readBody(data: string | undefined): Buffer | undefined {
	if (data === undefined) return undefined;
	if (!data.startsWith("@")) return Buffer.from(data);
	try {
		return readFileSync(data === "@-" ? 0 : data.slice(1));
	} catch (cause) {
		throw new StartError(`the body ${data} cannot be read`, { cause });
	}
}

function credential(
	name: "tenant" | "app" | "key",
	given: string | undefined,
	env: Readonly<Record<string, string | undefined>>,
): string {
	const value = given ?? env[CREDENTIAL_VARIABLES[name]];
	if (!value) throw new StartError(`give --${name} or set ${CREDENTIAL_VARIABLES[name]}`);
	return value;
}

function checked(name: string, value: string, pattern: RegExp): string {
	if (!pattern.test(value)) throw new StartError(`${name} must match ${pattern.source}`);
	return value;
}

function signedHeaders(parts: SignedParts, secretPlain: string, hasBody: boolean): Record<string, string> {
	let signature: string;
	try {
		signature = signRequest(secretKey(secretPlain), parts);
	} catch (cause) {
		throw new StartError(`cannot be signed: ${cause instanceof Error ? cause.message : "unknown reason"}`, {
			cause,
		});
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

function curlCommand(
	method: string,
	url: string,
	headers: Record<string, string>,
	options: SignOptions,
): string {
	const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
	const lines = [
		`curl ${options.insecure === true ? "--insecure " : ""}--path-as-is --request ${method} ${quote(url)}`,
	];
	for (const [name, value] of Object.entries(headers)) lines.push(`--header ${quote(`${name}: ${value}`)}`);
	if (options.data !== undefined) lines.push(`--data-binary ${quote(options.data)}`);
	return lines.join(" \\\n  ");
}

async function send(
	origin: string,
	parts: SignedParts,
	headers: Record<string, string>,
	body: Buffer | undefined,
	insecure: boolean,
): Promise<void> {
	const { hostname, port } = new URL(origin);
	const length = body === undefined ? {} : { "Content-Length": String(body.length) };
	const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
		const request = https.request(
			{
				// URL keeps the brackets of an IPv6 address; sockets want it without.
				host: hostname.replace(/^\[|\]$/g, ""),
				port: port === "" ? 443 : Number(port),
				method: parts.method,
				path: parts.target,
				headers: { ...headers, ...length },
				rejectUnauthorized: !insecure,
				timeout: 30_000,
			},
			(response) => {
				const chunks: Buffer[] = [];
				response.on("data", (chunk: Buffer) => chunks.push(chunk));
				response.on("error", reject);
				response.on("end", () =>
					resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
				);
			},
		);
		request.on("timeout", () => request.destroy(new Error("no answer within 30 s")));
		request.on("error", reject);
		request.end(body);
	}).catch((cause: Error) => {
		const hint = /self-signed|SELF_SIGNED/.test(`${cause.message}`)
			? "; --insecure accepts the service's self-signed certificate"
			: "";
		throw new StartError(`${origin} did not answer: ${cause.message}${hint}`, { cause });
	});
	console.error(`HTTP ${status}`);
	console.log(text);
	if (status >= 400) process.exitCode = 1;
}
