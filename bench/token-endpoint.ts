// `node bench/token-endpoint.ts`: compares refreshes at the token endpoint with the library alone, and measures the
// memory of the first client.

import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BareOpenId, BareOpenIdTask } from "./bare-openid.ts";
import { ask, startNode, stopChildren } from "./children.ts";
import { findProcessors } from "./processors.ts";
import { shown } from "./report.ts";
import { compare, type Round } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";
import { memoryOf, processorSeconds } from "./usage.ts";

/** Sign-ins to the application, each of which is refreshed repeatedly. */
const SIGN_INS = 16;
const ROUNDS = 5;
const ROUND_MS = 2_500;
const ISSUER = "https://login.example";
const CALLBACK = "https://shop.example/callback";
const PASSWORD = "a long enough password";

interface Endpoint extends BareOpenId {
	readonly pid: number;
	readonly path: string;
	/** The newest refresh token of each sign-in. */
	readonly held: string[];
}

const processors = findProcessors();
const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const agent = new http.Agent({ keepAlive: true, maxSockets: SIGN_INS });

const service = await start("service");
const { before, ...ours } = await signInToService(service);
const after = memoryNow(service.pid);
const bare = await startBare();
const compared = await compare(
	ROUNDS,
	() => refreshAll(ours),
	() => refreshAll(bare),
);
const { measured, comparison, ratios, processorRatios } = compared;
const figures = {
	refreshes: `${measured.perSecond.toFixed(0)} a second, ${measured.processorMicros?.toFixed(0)} µs`,
	library: `${comparison.perSecond.toFixed(0)} a second, ${comparison.processorMicros?.toFixed(0)} µs`,
	ratio: shown(ratios, 2),
	"by CPU time": shown(processorRatios, 2),
	"more memory after the first sign-ins": `${((after - before) / 2 ** 20).toFixed(1)} MiB`,
};
for (const [name, figure] of Object.entries(figures)) console.log(`${name}: ${figure}`);
await stopChildren();
process.exit(0);

async function start(name: string): Promise<RunningService> {
	const dataDir = join(folder, name);
	mkdirSync(dataDir);
	const env = {
		LATCHKEY_PUBLIC_URL: ISSUER,
		LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000",
		LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000",
	};
	return await startService(dataDir, processors.server, env);
}

async function startBare(): Promise<Endpoint> {
	const child = startNode("bench/bare-openid.ts", [], { processors: processors.server, responses: true });
	const task: BareOpenIdTask = { signIns: SIGN_INS };
	const answer = await ask<BareOpenId>(child, task, 30_000);
	return { ...answer, pid: child.pid as number, path: "/token", held: [...answer.refreshTokens] };
}

/** Obtains refresh tokens as a first-party application does; `before` is the memory without a client. */
async function signInToService({
	port,
	pid,
	call,
	adminToken,
}: RunningService): Promise<Endpoint & { readonly before: number }> {
	const token = await adminToken();
	const person = { username: "ada", email: "ada@people.example", password: PASSWORD };
	await call("POST", "/api/v1/users", { token, body: person });
	const application = { name: "Shop", redirect_uris: [CALLBACK], access_policy: "open" };
	const { id } = (await call("POST", "/api/v1/applications", { token, body: application })).body.data;
	const signedIn = await send(port, "POST", "/api/v1/auth/login", {
		headers: { "content-type": "application/json", "x-session": "cookie", origin: ISSUER },
		body: JSON.stringify({ username: person.username, password: PASSWORD }),
	});
	const [cookie = ""] = (signedIn.headers["set-cookie"]?.[0] ?? "").split(";", 1);
	const before = memoryNow(pid);
	const client = await call("PUT", `/api/v1/applications/${id}/oauth-client`, {
		token,
		body: { type: "web", first_party: true, id_token_alg: "ES256" },
	});
	const clientSecret: string = client.body.data.client_secret;
	const refreshTokens: string[] = [];
	for (let count = 0; count < SIGN_INS; count++) {
		const verifier = randomBytes(32).toString("base64url");
		const asked = new URLSearchParams({
			client_id: id,
			redirect_uri: CALLBACK,
			response_type: "code",
			scope: "openid",
			code_challenge: createHash("sha256").update(verifier).digest("base64url"),
			code_challenge_method: "S256",
		});
		const { headers } = await send(port, "GET", `/oauth/authorize?${asked}`, { headers: { cookie } });
		const code = new URL(headers.location ?? "").searchParams.get("code") ?? "";
		const fields = {
			grant_type: "authorization_code",
			code,
			redirect_uri: CALLBACK,
			code_verifier: verifier,
		};
		refreshTokens.push(await tokenFor({ port, path: "/oauth/token", clientId: id, clientSecret }, fields));
	}
	return {
		port,
		pid,
		path: "/oauth/token",
		clientId: id,
		clientSecret,
		refreshTokens,
		held: [...refreshTokens],
		before,
	};
}

function memoryNow(pid: number): number {
	return memoryOf(pid)?.now ?? Number.NaN;
}

async function refreshAll(endpoint: Endpoint): Promise<Round> {
	const processorBefore = processorSeconds(endpoint.pid) ?? Number.NaN;
	const own = process.cpuUsage();
	const startedAt = performance.now();
	let requests = 0;
	await Promise.all(
		endpoint.held.map(async (_, index) => {
			while (performance.now() - startedAt < ROUND_MS) {
				const fields = { grant_type: "refresh_token", refresh_token: endpoint.held[index] ?? "" };
				endpoint.held[index] = await tokenFor(endpoint, fields);
				requests += 1;
			}
		}),
	);
	const seconds = (performance.now() - startedAt) / 1_000;
	const { user, system } = process.cpuUsage(own);
	const processorMicros =
		(((processorSeconds(endpoint.pid) ?? Number.NaN) - processorBefore) / requests) * 1e6;
	const generatorShare = (user + system) / 1e6 / seconds;
	return { perSecond: requests / seconds, processorMicros, generatorShare, requests, seconds };
}

/** @returns the refresh token. @throws Error if the request is refused. */
async function tokenFor(
	{ port, path, clientId, clientSecret }: Pick<Endpoint, "port" | "path" | "clientId" | "clientSecret">,
	fields: Readonly<Record<string, string>>,
): Promise<string> {
	const proof = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
	const { status, text } = await send(port, "POST", path, {
		headers: { authorization: `Basic ${proof}`, "content-type": "application/x-www-form-urlencoded" },
		body: String(new URLSearchParams(fields)),
	});
	if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`);
	const tokens = JSON.parse(text) as { refresh_token: string; id_token?: string };
	if (tokens.id_token === undefined) throw new Error(`${path} returned no ID token`);
	return tokens.refresh_token;
}

function send(
	port: number,
	method: string,
	path: string,
	{ headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }> {
	return new Promise((resolve, reject) => {
		const from = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https" };
		const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
		const request = http.request({ host: "127.0.0.1", port, method, path, agent });
		for (const [name, value] of Object.entries({ ...from, ...length, ...headers }))
			request.setHeader(name, value);
		request.on("error", reject);
		request.on("response", (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("end", () =>
				resolve({
					status: response.statusCode ?? 0,
					headers: response.headers,
					text: Buffer.concat(chunks).toString(),
				}),
			);
		});
		request.end(body);
	});
}
