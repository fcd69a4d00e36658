// Signed requests as raw bytes, valid or altered, for tests of what the signed guard refuses.

import { sha256Hex } from "../../../src/crypto/digest.ts";
import { randomToken } from "../../../src/crypto/random.ts";
import { secretKey, signRequest } from "../../../src/crypto/request-signature.ts";
import {
	connect,
	exchange,
	type HeaderList,
	type RawResponse,
	requestBytes,
	type WireTarget,
} from "../service/raw-connection.ts";
import type { Credentials, TestClock } from "../service/service.ts";

/** The called service, and the clock for the timestamp. */
export interface SignedTarget extends WireTarget {
	readonly clock: Pick<TestClock, "now">;
}

export const WHOAMI = "/api/v1/external/whoami";
export const CHECK_ACCESS = "/api/v1/external/users/check-access";
export const FIND_USER = "/api/v1/external/third-party/find-user";

export interface WireRequest {
	readonly method?: string;
	readonly target?: string;
	readonly body?: Buffer | string;
	readonly timestamp?: string;
	readonly nonce?: string;
	/** Parts to send instead of the signed ones. */
	readonly sent?: { readonly method?: string; readonly target?: string; readonly body?: Buffer | string };
	/** Changes the headers after signing. */
	readonly spoil?: (headers: HeaderList) => HeaderList;
	/** False: plain HTTP. */
	readonly secure?: boolean;
}

/** A request with a new nonce: GET whoami, or POST check-access if there is a body. It requests problem details. */
export function signedBytes(service: SignedTarget, client: Credentials, request: WireRequest = {}): Buffer {
	const { body, sent = {}, spoil = (headers) => headers } = request;
	const method = request.method ?? (body === undefined ? "GET" : "POST");
	const target = request.target ?? (body === undefined ? WHOAMI : CHECK_ACCESS);
	const timestamp = request.timestamp ?? String(Math.floor(service.clock.now() / 1000));
	const nonce = request.nonce ?? randomToken();
	const signature = signRequest(client.privateKey ?? secretKey(client.secret), {
		method,
		target,
		tenantId: client.tenant_id,
		appId: client.app_id,
		apiKey: client.api_key,
		timestamp,
		nonce,
		bodySha256: sha256Hex(body ?? ""),
	});
	const sentBody = sent.body ?? body;
	const headers: HeaderList = [
		["Host", "localhost"],
		["Accept", "application/problem+json"],
		...(sentBody === undefined
			? []
			: ([
					["Content-Type", "application/json"],
					["Content-Length", String(Buffer.byteLength(sentBody))],
				] as const)),
		["X-Tenant-ID", client.tenant_id],
		["X-App-ID", client.app_id],
		["X-API-Key", client.api_key],
		["X-Timestamp", timestamp],
		["X-Nonce", nonce],
		["X-Signature", signature],
	];
	return requestBytes(sent.method ?? method, sent.target ?? target, spoil(headers), sentBody ?? "");
}

/** Sends such a request on a new connection. */
export function sendSigned(
	service: SignedTarget,
	client: Credentials,
	request: WireRequest = {},
): Promise<RawResponse> {
	const secure = request.secure ?? true;
	return exchange(service, signedBytes(service, client, request), {
		secure,
		head: (request.sent?.method ?? request.method) === "HEAD",
	});
}

/** `status code`, such as `401 nonce.reused`; only the status of a success. */
export async function verdict(response: Promise<RawResponse>): Promise<string> {
	const { status, body } = await response;
	return status < 400 ? String(status) : `${status} ${body?.code}`;
}

/** Sends the same bytes concurrently on `copies` connections. */
export async function sendCopies(
	service: SignedTarget,
	bytes: Buffer,
	copies: number,
): Promise<RawResponse[]> {
	const connections = Array.from({ length: copies }, () => connect(service, { secure: true }));
	try {
		await Promise.all(connections.map((connection) => connection.opened()));
		return await Promise.all(
			connections.map((connection) => {
				connection.write(bytes);
				return connection.next();
			}),
		);
	} finally {
		for (const connection of connections) connection.close();
	}
}

/** Replaces the value of a header. */
export function replacing(name: string, value: string): (headers: HeaderList) => HeaderList {
	return (headers) => headers.map((header) => (isNamed(header, name) ? [header[0], value] : header));
}

export function without(name: string): (headers: HeaderList) => HeaderList {
	return (headers) => headers.filter((header) => !isNamed(header, name));
}

/** Appends a header. */
export function adding(name: string, value: string): (headers: HeaderList) => HeaderList {
	return (headers) => [...headers, [name, value]];
}

/** Changes the value of a header. */
export function changing(
	name: string,
	change: (value: string) => string,
): (headers: HeaderList) => HeaderList {
	return (headers) =>
		headers.map((header) => (isNamed(header, name) ? [header[0], change(header[1])] : header));
}

function isNamed([candidate]: readonly [string, string], name: string): boolean {
	return candidate.toLowerCase() === name.toLowerCase();
}
