// Services on PostgreSQL servers that fail over, and signed calls that are sent again afterwards.

import assert from "node:assert/strict";
import { WHOAMI } from "../access/signed-wire.ts";
import { ADMIN, type Credentials, startTestService, type TestService } from "../service/service.ts";

export const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
/** Longer than a signature is valid, from the latest timestamp that a call may have. */
export const AFTER_PAUSE_MS = 310_000;

/** Connections that a caller opens. */
const AT_ONCE = 20;

export interface HealthBody {
	readonly data: {
		readonly checks: Readonly<Record<string, string>>;
		readonly details?: Readonly<Record<string, string>>;
	};
}

export interface SentCall {
	readonly nonce: string;
	readonly timestamp: string;
}

/** A service in this process, or the client of another one. */
interface Callee {
	signed(
		credentials: Credentials,
		method: string,
		path: string,
		options: SentCall,
	): Promise<{ readonly status: number }>;
}

/** The settings of a node that knows all these servers. */
export function settingsOn(urls: readonly string[]): Record<string, string> {
	const hosts = urls.map((url) => new URL(url).host).join(",");
	return {
		LATCHKEY_DATABASE_URL: `postgres://latchkey@${hosts}/postgres`,
		LATCHKEY_MASTER_KEY: MASTER_KEY,
		LATCHKEY_LOG_LEVEL: "warn",
	};
}

export function startOn(urls: readonly string[]): Promise<TestService> {
	return startTestService({ env: settingsOn(urls) });
}

/** `count` calls that were never sent, every other one dated 280 s ahead. */
export function newCalls(nowMs: number, count: number): SentCall[] {
	return Array.from({ length: count }, (_, index) => ({
		nonce: crypto.randomUUID(),
		timestamp: String(Math.floor(nowMs / 1000) + (index % 2) * 280),
	}));
}

/** Sends `count` new signed calls, and requires that all are accepted. */
export async function acceptCalls(
	service: TestService,
	client: Credentials,
	count: number,
): Promise<SentCall[]> {
	const calls = newCalls(service.clock.now(), count);
	assert.deepEqual(await statusesOf(service, client, calls), { 200: count }, "new calls");
	return calls;
}

/** Sends the calls, and counts the responses by status. */
export async function statusesOf(
	service: Callee,
	client: Credentials,
	calls: readonly SentCall[],
): Promise<Record<number, number>> {
	const responses: { readonly status: number }[] = [];
	for (let sent = 0; sent < calls.length; sent += AT_ONCE) {
		const some = calls.slice(sent, sent + AT_ONCE);
		responses.push(...(await Promise.all(some.map((call) => service.signed(client, "GET", WHOAMI, call)))));
	}
	return countStatuses(responses);
}

export function signIns(service: TestService, count: number): Promise<string[]> {
	return Promise.all(Array.from({ length: count }, () => service.tokenOf(ADMIN.username, ADMIN.password)));
}

/** The responses to these access tokens by status. */
export async function sessionStatuses(service: TestService, tokens: readonly string[]) {
	return countStatuses(
		await Promise.all(tokens.map((token) => service.call("GET", "/api/v1/users/me", { token }))),
	);
}

export function countStatuses(responses: readonly { readonly status: number }[]): Record<number, number> {
	const counts: Record<number, number> = {};
	for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}
