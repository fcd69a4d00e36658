// Sends requests to the API: in this process as the operator, or to a running service with an admin key.

import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { ApiOperation } from "../app/api-operations.ts";
import { type MemoryRequest, openInProcess } from "../app/in-process.ts";
import { openBesideService } from "../app/open-installation.ts";
import { ADMIN_KEY_VARIABLE } from "../config/settings.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { StartError, usageError } from "../kernel/start-error.ts";
import { operatorCaller } from "../ops/cli-caller.ts";
import { getTenantId } from "../ops/tenant-by-slug.ts";
import { host } from "./host.ts";
import { loadNamedConfig } from "./installation.ts";
import { reasonOf } from "./send-request.ts";

export interface SenderOptions {
	/** Slug; default: `default`. Not with `url`, where the key has its tenant. */
	readonly tenant?: string;
	/** The origin of a running service. */
	readonly url?: string;
	/** Accept any certificate of `url`. */
	readonly insecure?: boolean;
}

export interface Sender extends AsyncDisposable {
	send(request: MemoryRequest): Promise<IncomingMessage>;
}

const TIMEOUT_MS = 30_000;

/** @throws StartError `api.not_here` (`usage`). */
export function requireHere({ method, path, isHere }: ApiOperation): void {
	if (isHere) return;
	throw usageError(
		`${method} ${path} is a route of a person, of sign-in, for signed requests, or of OAuth, and cannot be called from here`,
		{ code: "api.not_here" },
	);
}

/** @throws StartError as `openBesideService`; `usage` for a wrong URL or a missing key. */
export async function openSender(options: SenderOptions): Promise<Sender> {
	return options.url === undefined ? openHere(options) : openRemote(options.url, options);
}

async function openHere({ tenant = "default" }: SenderOptions): Promise<Sender> {
	const config = loadNamedConfig();
	const installation = await openBesideService(config, systemClock);
	try {
		const tenantId = await getTenantId(installation.db, tenant);
		const bugs: unknown[] = [];
		const send = await openInProcess(config, installation, {
			clock: systemClock,
			log: keeping(bugs),
			operator: operatorCaller(tenantId),
		});
		return {
			async send(request) {
				const response = await send({ ...request, headers: { ...request.headers, "x-tenant-id": tenantId } });
				if (response.statusCode === 500) throw bugs.at(-1);
				return response;
			},
			[Symbol.asyncDispose]: () => installation.close(),
		};
	} catch (error) {
		await installation.close();
		throw error;
	}
}

/** Keeps errors that no use case throws deliberately: they end the command as a bug, with a stack trace. */
function keeping(bugs: unknown[]): Log {
	const ignore = (): void => undefined;
	return {
		isDebug: false,
		debug: ignore,
		info: ignore,
		warn: ignore,
		error: ({ err }) => bugs.push(err),
	};
}

function openRemote(url: string, { tenant, insecure = false }: SenderOptions): Sender {
	if (tenant !== undefined) throw usageError("--tenant is not for --url: an admin key belongs to one tenant");
	const key = host().env[ADMIN_KEY_VARIABLE];
	if (!key) throw usageError(`set ${ADMIN_KEY_VARIABLE} to an admin key of the service at --url`);
	if (!/^[\x21-\x7e]+$/.test(key)) throw usageError(`${ADMIN_KEY_VARIABLE} is not an admin key`);
	const origin = parseOrigin(url);
	return {
		send: (request) => sendTo(origin, request, key, insecure),
		[Symbol.asyncDispose]: () => Promise.resolve(),
	};
}

/** The key must not travel in clear text. */
function parseOrigin(url: string): URL {
	const parsed = URL.canParse(url) ? new URL(url) : undefined;
	if (parsed === undefined || !/^https?:\/\/[^/?#\s@]+\/?$/i.test(url))
		throw usageError(`--url is "${url}"; expected a URL like https://auth.example.com`);
	const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname);
	if (parsed.protocol === "https:" || isLocal) return parsed;
	throw usageError("--url must be an https:// URL, so that the admin key is not sent in clear text");
}

/** Does not follow redirects. */
function sendTo(
	origin: URL,
	{ method, target, headers, body }: MemoryRequest,
	key: string,
	insecure: boolean,
): Promise<IncomingMessage> {
	const { host: _, ...others } = headers;
	return new Promise((resolve, reject) => {
		const failed = (cause: unknown): void =>
			reject(new StartError(`${origin.origin} did not respond: ${reasonOf(cause)}`, { cause, kind: "away" }));
		const options = {
			method,
			path: target,
			headers: {
				...others,
				...(body && { "content-length": String(body.length) }),
				authorization: `Bearer ${key}`,
			},
			agent: false,
			timeout: TIMEOUT_MS,
		} as const;
		const request =
			origin.protocol === "https:"
				? https.request(origin, { ...options, rejectUnauthorized: !insecure })
				: http.request(origin, options);
		request
			.on("response", resolve)
			.on("timeout", () => request.destroy(new Error(`no response within ${TIMEOUT_MS / 1_000} s`)))
			.on("error", failed)
			.end(body);
	});
}
