// The real service in this process, on free ports with a temporary data directory, for tests over HTTP.

import type { KeyObject } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import PostalMime, { type Email } from "postal-mime";
import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { createLog } from "../../../src/app/log.ts";
import { createProviders } from "../../../src/app/platform.ts";
import { type Service, startService } from "../../../src/app/service.ts";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { sha256Hex } from "../../../src/crypto/digest.ts";
import { randomToken } from "../../../src/crypto/random.ts";
import { EMPTY_BODY_SHA256, secretKey, signRequest } from "../../../src/crypto/request-signature.ts";
import type { ProgramDocuments } from "../../../src/domain/program-document.ts";
import type { ProviderGateway } from "../../../src/domain/provider-gateway.ts";
import type { Cidr } from "../../../src/kernel/ip.ts";
import { shareCertificate } from "../certificates/shared-certificate.ts";
import { type CallOptions, type CallResponse, createCalls, type TypedCall } from "./calls.ts";
import { noteRefusals } from "./observed.ts";
import { placeOf } from "./service-database.ts";
import type { BodyOf, DataOf } from "./wire-body.ts";

export type { CallOptions, CallResponse };

export const ADMIN = { username: "admin", password: "correct horse battery staple" };

/** An API client as create, claim, or regenerate returns it. */
export interface Credentials {
	readonly tenant_id: string;
	readonly app_id: string;
	readonly api_key: string;
	readonly secret: string;
	/** Instead of the Secret. */
	readonly privateKey?: KeyObject;
}

export interface TestClock {
	now(): number;
	/** Rate limits use this clock too. */
	advance(milliseconds: number): void;
	/** Stops the clock at this time until it is advanced or set again. */
	standAt(atMs: number): void;
}

interface TypedSignedCall {
	<M extends string, P extends string>(
		credentials: Credentials,
		method: M,
		path: P,
		options?: SignedOptions,
	): Promise<CallResponse<BodyOf<M, P>>>;
	<Body>(
		credentials: Credentials,
		method: string,
		path: string,
		options?: SignedOptions,
	): Promise<CallResponse<Body>>;
}

export interface TestService {
	readonly httpUrl: string;
	readonly httpsUrl: string;
	readonly httpPort: number;
	readonly httpsPort: number;
	/** Null unless enabled. */
	readonly metricsPort: number | null;
	readonly dataDir: string;
	readonly clock: TestClock;
	readonly service: Service;
	/** Opens another connection to the service's database. Close it after use: `await using` does. */
	openDatabase(): Promise<Engine & AsyncDisposable>;
	/** The master keys of the service in base64; the first one seals. */
	masterKeys(): string;
	/** Everything logged so far, one JSON object per line. */
	logs(): string;
	/** The route map types the body; for paths outside the map, `call<Body>(…)` does. */
	call: TypedCall<CallOptions>;
	/** A signed call over TLS; `headers` replace the signed ones. */
	signed: TypedSignedCall;
	/** An access token of the first admin, valid for at least minutes: call again after advancing the clock. */
	adminToken(): Promise<string>;
	/** Signs in. @returns the access token */
	tokenOf(username: string, password: string): Promise<string>;
	/** `call` as the first admin. */
	callAsAdmin: TypedCall<Omit<CallOptions, "token">>;
	/** Calls as the first admin. @returns the `data` of the response @throws Error unless the call succeeds */
	asAdmin<M extends string, P extends string>(
		method: M,
		path: P,
		body?: unknown,
	): Promise<DataOf<`${M} ${P}`>>;
	/** Creates a user through the admin API. @returns the record */
	addUser(fields: Record<string, unknown>): Promise<{ id: string; username: string }>;
	/** Mails delivered to an address, oldest first; waits up to 20 s for `count` of them. */
	mailsTo(address: string, count?: number): Promise<Email[]>;
	/** Stops the service and removes its folder. */
	stop(): Promise<void>;
}

export interface SignedOptions {
	readonly body?: unknown;
	readonly nonce?: string;
	readonly timestamp?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface TestOptions {
	readonly env?: Readonly<Record<string, string>>;
	/** The data directory; it is not removed afterwards. Default: a temporary one. */
	readonly dataDir?: string;
	/** Serves `/metrics` on a free port. */
	readonly metrics?: boolean;
	/** Stops the clock at this time before the start. Default: the real time. */
	readonly atMs?: number;
	/** Between two writes of buffered records. Long where a test counts statements. Default: 250. */
	readonly pollMs?: number;
	/** Replaces the real gateway. */
	readonly providers?: ProviderGateway;
	/** Replaces the documents of programs. */
	readonly programDocuments?: ProgramDocuments;
	/** Name servers of the records of domains, `address:port`. */
	readonly nameServers?: readonly string[];
	/** The first admin's password in a database that was set up elsewhere. */
	readonly adminPassword?: string;
}

/**
 * Providers with invented issuers can be saved: without a network of test providers, every issuer counts as the one in its
 * document.
 */
function providersOf(
	{ providers }: TestOptions,
	networks: readonly Cidr[],
): { readonly providers?: ProviderGateway } {
	if (providers !== undefined) return { providers };
	if (networks.length > 0) return {};
	return { providers: { ...createProviders(networks), checkIssuer: async ({ issuer }) => issuer } };
}

export async function startTestService(options: TestOptions = {}): Promise<TestService> {
	const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "latchkey-test-"));
	const logStream = new PassThrough();
	const logged: Buffer[] = [];
	logStream.on("data", (chunk: Buffer) => logged.push(chunk));
	let offset = 0;
	let standsAt = options.atMs;
	const clock: TestClock = {
		now: () => standsAt ?? Date.now() + offset,
		advance: (milliseconds) => {
			offset += milliseconds;
			if (standsAt !== undefined) standsAt += milliseconds;
		},
		standAt: (atMs) => {
			standsAt = atMs;
		},
	};
	const isNew = options.dataDir === undefined;
	const database = await placeOf(dataDir, options.env ?? {}, { isNew });
	if (isNew) shareCertificate(dataDir);
	const config = withCheapHashes(
		loadConfig({
			...database.env,
			LATCHKEY_DATA_DIR: dataDir,
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
			LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
			...options.env,
		}),
		options.env,
	);
	const service = await startService(config, {
		clock: clock.now,
		monotonicMs: () => performance.now() + offset,
		log: createLog(config.logLevel, logStream),
		ports: { http: 0, https: 0, metrics: options.metrics === true ? 0 : null },
		pollMs: options.pollMs ?? 250,
		...providersOf(options, config.providerAllowedNetworks),
		...(options.programDocuments && { programDocuments: options.programDocuments }),
		...(options.nameServers && { nameServers: options.nameServers }),
	});
	const readMails = mailReader(join(dataDir, "mail"));
	const httpPort = service.ports.http as number;
	const httpsPort = service.ports.https as number;

	const { call, close: closeConnections } = createCalls({ http: httpPort, https: httpsPort });

	const tokenOf = async (username: string, password: string): Promise<string> => {
		const response = await call("POST", "/api/v1/auth/login", { body: { username, password } });
		if (response.status !== 200)
			throw new Error(`sign-in of ${username} returned ${response.status}: ${JSON.stringify(response.body)}`);
		return response.body.data.access_token;
	};
	let admin: { readonly token: Promise<string>; readonly untilMs: number } | undefined;
	const adminToken = (): Promise<string> => {
		// The clock may have been advanced past the expiry of the last token.
		if (admin === undefined || clock.now() > admin.untilMs) {
			admin = {
				token: tokenOf(ADMIN.username, options.adminPassword ?? ADMIN.password),
				untilMs: clock.now() + 600_000,
			};
		}
		return admin.token;
	};
	const callAsAdmin: TestService["callAsAdmin"] = async <Body>(
		method: string,
		path: string,
		options: CallOptions = {},
	): Promise<CallResponse<Body>> => call<Body>(method, path, { ...options, token: await adminToken() });
	const asAdmin: TestService["asAdmin"] = async (method, path, body) => {
		const response = await callAsAdmin<{ readonly data: never } | undefined>(method, path, { body });
		if (response.status >= 300)
			throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
		return response.body?.data as never;
	};

	return {
		httpUrl: `http://127.0.0.1:${httpPort}`,
		httpsUrl: `https://127.0.0.1:${httpsPort}`,
		httpPort,
		httpsPort,
		metricsPort: service.ports.metrics,
		dataDir,
		clock,
		service,
		async openDatabase() {
			const engine = await database.open();
			return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() });
		},
		masterKeys: () => config.masterKey.inline ?? readFileSync(join(dataDir, "master.key"), "utf8").trim(),
		logs: () => Buffer.concat(logged).toString("utf8"),
		call,
		signed: <Body>(
			credentials: Credentials,
			method: string,
			path: string,
			{ body, nonce, timestamp, headers }: SignedOptions = {},
		) => {
			const bytes = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
			return call<Body>(method, path, {
				https: true,
				...(bytes === undefined ? {} : { body: bytes }),
				headers: {
					...signedHeaders(credentials, { method, path, body: bytes, nonce, timestamp, nowMs: clock.now() }),
					...headers,
				},
			});
		},
		adminToken,
		tokenOf,
		callAsAdmin,
		asAdmin,
		addUser: (fields) => asAdmin("POST", "/api/v1/users", fields),
		mailsTo: (address, count = 1) => readMails(address, count),
		async stop() {
			closeConnections();
			await service.stop();
			noteRefusals(Buffer.concat(logged).toString("utf8"));
			if (options.dataDir !== undefined) return;
			rmSync(dataDir, { recursive: true, force: true });
			await database.drop();
		},
	};
}

/** The lowest bcrypt cost, below the configurable ones: a hash takes 1 ms. A test can set another cost. */
const TEST_BCRYPT_COST = 4;

function withCheapHashes(config: Config, env: TestOptions["env"] = {}): Config {
	return "LATCHKEY_BCRYPT_COST" in env ? config : { ...config, bcryptCost: TEST_BCRYPT_COST };
}

/** The six headers of a signed request. */
export function signedHeaders(
	credentials: Credentials,
	request: {
		readonly method: string;
		readonly path: string;
		readonly body?: string | undefined;
		/** Instead of a body that is too long for a text. */
		readonly bodySha256?: string | undefined;
		readonly nonce?: string | undefined;
		readonly timestamp?: string | undefined;
		readonly nowMs: number;
	},
): Record<string, string> {
	const timestamp = request.timestamp ?? String(Math.floor(request.nowMs / 1000));
	const nonce = request.nonce ?? randomToken();
	const signature = signRequest(credentials.privateKey ?? secretKey(credentials.secret), {
		method: request.method,
		target: request.path,
		tenantId: credentials.tenant_id,
		appId: credentials.app_id,
		apiKey: credentials.api_key,
		timestamp,
		nonce,
		bodySha256: request.bodySha256 ?? (request.body ? sha256Hex(request.body) : EMPTY_BODY_SHA256),
	});
	return {
		"x-tenant-id": credentials.tenant_id,
		"x-app-id": credentials.app_id,
		"x-api-key": credentials.api_key,
		"x-timestamp": timestamp,
		"x-nonce": nonce,
		"x-signature": signature,
	};
}

/** Reads the mails in the folder, parsing each file once. */
function mailReader(folder: string): (address: string, count: number) => Promise<Email[]> {
	const parsed = new Map<string, Email>();
	const readNew = async (): Promise<void> => {
		// The first mail creates the folder.
		const names = existsSync(folder) ? readdirSync(folder) : [];
		for (const name of names.filter((file) => file.endsWith(".eml") && !parsed.has(file)))
			parsed.set(name, await PostalMime.parse(readFileSync(join(folder, name))));
	};
	return async (address, count) => {
		const deadline = Date.now() + 60_000;
		for (;;) {
			await readNew();
			const mails = [...parsed]
				.sort(([one], [other]) => (one < other ? -1 : 1))
				.map(([, mail]) => mail)
				.filter(({ to }) => to?.some((recipient) => recipient.address === address));
			if (mails.length >= count || Date.now() > deadline) return mails;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	};
}
