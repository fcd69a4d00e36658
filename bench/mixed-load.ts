// The load generator of the mixed load: sends requests of several kinds at a fixed rate, whether or not earlier ones have
// returned, so that a slow response cannot reduce the load.

import { type SignedInApplication, send } from "./openid-client.ts";
import type { Population } from "./people.ts";
import { addressOf, signedCalls } from "./requests.ts";

export type MixedKind = "me" | "signed" | "refresh" | "introspect" | "userinfo" | "sign-in" | "change";

export interface MixedLoad {
	readonly port: number;
	readonly population: Population;
	/** For `introspect` and `userinfo`. */
	readonly application?: SignedInApplication;
	/** For `change`: a record with a description, and the token of an administrator. */
	readonly change?: { readonly path: string; readonly token: string };
	/** In percent, together 100. */
	readonly shares: Readonly<Partial<Record<MixedKind, number>>>;
	readonly perSecond: number;
	readonly seconds: number;
}

/** Response times in milliseconds, from the time at which a request was due, of the kinds that have a share. */
export type MixedResult = Readonly<Partial<Record<MixedKind, readonly number[]>>>;

interface Asked {
	readonly method: "GET" | "POST" | "PATCH";
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
}

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };
/** Counts all requests of this process, so that no IP address reaches its limit. */
let sent = 0;
/** The refresh tokens that no request uses at the moment. */
let idle: string[] = [];
/** Refreshes of an overloaded service, which wait for a token. */
const waiting: ((token: string) => void)[] = [];

process.on("message", (load: MixedLoad) => {
	run(load).then(
		(result) => process.send?.(result),
		(error: Error) => process.send?.({ error: error.message }),
	);
});
process.on("disconnect", () => process.exit(0));

async function run(load: MixedLoad): Promise<MixedResult> {
	const kinds = orderOf(load.shares);
	const result: Partial<Record<MixedKind, number[]>> = {};
	for (const kind of Object.keys(load.shares) as MixedKind[]) result[kind] = [];
	const senders = sendersOf(load);
	if (idle.length === 0) idle = await signInAll(load);
	const running: Promise<void>[] = [];
	const startedAt = performance.now();
	for (let index = 0; index < load.perSecond * load.seconds; index++) {
		const dueAt = startedAt + (index / load.perSecond) * 1_000;
		const waitMs = dueAt - performance.now();
		if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
		const kind = kinds[index % kinds.length] as MixedKind;
		running.push(senders[kind]().then(() => void result[kind]?.push(performance.now() - dueAt)));
	}
	await Promise.all(running);
	return result;
}

/** Spreads the kinds evenly over a hundred requests. */
function orderOf(shares: MixedLoad["shares"]): MixedKind[] {
	const places = Object.entries(shares).flatMap(([kind, share]) =>
		Array.from({ length: share }, (_, index) => ({ kind: kind as MixedKind, at: (index + 0.5) / share })),
	);
	return places.sort((one, other) => one.at - other.at).map(({ kind }) => kind);
}

function sendersOf({
	port,
	population,
	application,
	change,
}: MixedLoad): Record<MixedKind, () => Promise<void>> {
	const { people, tokens, client, userId } = population;
	const sign = signedCalls(client, userId);
	const { accessTokens = [], clientId, clientSecret } = application ?? {};
	const proof = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
	const ask = async (asked: Asked): Promise<string> => {
		const number = sent++;
		const headers = { "x-forwarded-for": addressOf(number), ...asked.headers };
		const { status, text } = await send(port, asked.method, asked.path, { ...asked, headers });
		if (status !== 200) throw new Error(`${asked.method} ${asked.path} returned ${status}: ${text}`);
		return text;
	};
	const bearer = (token = ""): Record<string, string> => ({ authorization: `Bearer ${token}` });
	const oneOf = <T>(items: readonly T[]): T => items[sent % items.length] as T;
	return {
		me: async () => {
			await ask({ method: "GET", path: "/api/v1/users/me", headers: bearer(oneOf(tokens)) });
		},
		signed: async () => {
			const { target, headers, body } = sign();
			await ask({ method: "POST", path: target, headers: { ...JSON_TYPE, ...headers }, body });
		},
		refresh: async () => {
			const token = idle.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
			const successor = await refreshed(ask, token);
			const next = waiting.shift();
			if (next === undefined) idle.push(successor);
			else next(successor);
		},
		introspect: async () => {
			const body = String(new URLSearchParams({ token: oneOf(accessTokens) }));
			const headers = { ...FORM_TYPE, authorization: `Basic ${proof}` };
			await ask({ method: "POST", path: "/oauth/introspect", headers, body });
		},
		userinfo: async () => {
			const headers = bearer(oneOf(accessTokens));
			await ask({ method: "GET", path: "/oauth/userinfo", headers });
		},
		"sign-in": async () => {
			const body = JSON.stringify(oneOf(people));
			await ask({ method: "POST", path: "/api/v1/auth/login", headers: JSON_TYPE, body });
		},
		change: async () => {
			const body = JSON.stringify({ description: `Change ${sent}` });
			const headers = { ...JSON_TYPE, ...bearer(change?.token) };
			await ask({ method: "PATCH", path: change?.path ?? "", headers, body });
		},
	};
}

async function refreshed(ask: (asked: Asked) => Promise<string>, token: string): Promise<string> {
	const body = JSON.stringify({ refresh_token: token });
	const text = await ask({ method: "POST", path: "/api/v1/auth/refresh", headers: JSON_TYPE, body });
	return JSON.parse(text).data.refresh_token;
}

/** @returns a refresh token of each user. */
async function signInAll({ port, population }: MixedLoad): Promise<string[]> {
	const tokens: string[] = [];
	for (const person of population.people) {
		const headers = { ...JSON_TYPE, "x-forwarded-for": addressOf(sent++) };
		const body = JSON.stringify(person);
		const { status, text } = await send(port, "POST", "/api/v1/auth/login", { headers, body });
		if (status !== 200) throw new Error(`a sign-in returned ${status}: ${text}`);
		tokens.push(JSON.parse(text).data.refresh_token);
	}
	return tokens;
}
