// Client authentication with the token of a platform (RFC 7523, section 2.2). The library knows keys of clients only, so
// a verified token is replaced by an assertion of the client under a key of this process, and any other by one that fails.

import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { ClientJwks, PresentedOAuthClient } from "../../domain/oauth-client.ts";
import type { ProviderRequest } from "../../domain/openid-provider.ts";
import { HOUR_MS, SECOND_MS } from "../../kernel/clock.ts";
import type { FindIssuerKey, ProviderParts } from "./parts.ts";
import { NAMES_CLIENT } from "./programs.ts";
import { type WorkloadProblem, workloadProblem } from "./verify-workload.ts";

const ALGORITHM = "ES256";
const FORM = "application/x-www-form-urlencoded";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_SECONDS = 60;
/** The owner of the claims that limit events. */
const REFUSAL_OWNER = "workload";
const ANNOUNCED_MAX = 1_000;
const UNTYPED: WorkloadProblem = { class: "type", reason: "client_assertion_type is not jwt-bearer" };
/** Well formed, and never valid. */
const NO_SIGNATURE = "A".repeat(86);

type Held = Pick<PresentedOAuthClient, "tenantId" | "workloads">;

export interface Workloads {
	/** The public key of this process, the only one of clients with `workload`. */
	keys(): Promise<ClientJwks>;
	/** The request for the library; unchanged unless its client has `workload`. */
	translate(request: ProviderRequest): Promise<ProviderRequest>;
	/** Counts the token. @returns undefined if one of the workloads holds it. */
	problemOf(held: Held, token: string): Promise<WorkloadProblem | undefined>;
}

export function createWorkloads(parts: ProviderParts, findKey: FindIssuerKey): Workloads {
	const { db, clock, statistics, issuer: ownIssuer } = parts;
	const announceRefusal = createAnnouncer(parts);
	let made: ReturnType<typeof makeKey> | undefined;
	const ownKey = () => {
		made ??= makeKey();
		return made;
	};

	async function problemOf(held: Held, token: string): Promise<WorkloadProblem | undefined> {
		const problem = await verify(held, token);
		if (problem === undefined) statistics.count(undefined, "workload_authentication");
		else statistics.count(undefined, "workload_refused", problem.class);
		return problem;
	}

	async function verify({ tenantId, workloads }: Held, token: string): Promise<WorkloadProblem | undefined> {
		const ids = new Set(workloads.map(({ issuerId }) => issuerId));
		const found = await Promise.all([...ids].map((id) => db.stores.identityProviders.findById(tenantId, id)));
		const issuers = found.flatMap((one) =>
			one?.enabled === true && one.uses.includes("workloads") ? [one] : [],
		);
		const expected = { workloads, issuers, ownIssuer, nowMs: clock() };
		return await workloadProblem(token, expected, findKey);
	}

	async function assertion(clientId: string, isValid: boolean): Promise<string> {
		// The library compares with the clock of the process.
		const now = Math.floor(Date.now() / SECOND_MS);
		const signed = await new SignJWT()
			.setProtectedHeader({ alg: ALGORITHM })
			.setIssuer(clientId)
			.setSubject(clientId)
			.setAudience(ownIssuer)
			.setJti(parts.randomToken())
			.setIssuedAt(now)
			.setExpirationTime(now + ASSERTION_SECONDS)
			.sign((await ownKey()).privateKey);
		return isValid ? signed : signed.slice(0, signed.lastIndexOf(".") + 1) + NO_SIGNATURE;
	}

	return {
		problemOf,
		keys: async () => ({ keys: [(await ownKey()).publicJwk] }),
		async translate(request) {
			const form = formOf(request);
			const [clientId, ...ids] = form?.getAll("client_id") ?? [];
			const [token, ...tokens] = form?.getAll("client_assertion") ?? [];
			// The library refuses repeated parameters.
			if (form === undefined || clientId === undefined || token === undefined) return request;
			if (ids.length > 0 || tokens.length > 0) return request;
			const client = await db.stores.oauthClients.findPresented(clientId);
			if (client?.authMethod !== "workload" || client.application.status !== "active") return request;
			const isTyped = form.get("client_assertion_type") === ASSERTION_TYPE;
			const problem = isTyped ? await problemOf(client, token) : UNTYPED;
			if (problem === UNTYPED) statistics.count(undefined, "workload_refused", UNTYPED.class);
			if (problem !== undefined) await announceRefusal(client, problem.reason, request);
			form.set("client_assertion_type", ASSERTION_TYPE);
			form.set("client_assertion", await assertion(clientId, problem === undefined));
			return { ...request, body: Buffer.from(form.toString()) };
		},
	};
}

/** Undefined unless it names a client. */
function formOf({ method, headers, body }: ProviderRequest): URLSearchParams | undefined {
	const isForm = headers["content-type"]?.toLowerCase().startsWith(FORM) ?? false;
	const text = method === "POST" && isForm ? body.toString() : "";
	return NAMES_CLIENT.test(text) ? new URLSearchParams(text) : undefined;
}

async function makeKey() {
	const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
	return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), alg: ALGORITHM, use: "sig" } };
}

/** Logs every refusal, and records one event an hour for each client: anyone who knows a client ID can be refused. */
function createAnnouncer({ db, clock, log, rules }: ProviderParts) {
	const announced = new Map<string, number>();
	return async (client: PresentedOAuthClient, reason: string, { origin }: ProviderRequest): Promise<void> => {
		const { applicationId } = client;
		log.warn({ client_id: applicationId, reason }, "the token of a workload was refused");
		const now = clock();
		const hour = Math.floor(now / HOUR_MS);
		if (announced.get(applicationId) === hour) return;
		if (announced.size >= ANNOUNCED_MAX) announced.clear();
		announced.set(applicationId, hour);
		// One node records it.
		const seconds = Math.floor(now / SECOND_MS);
		if (!(await db.stores.nonces.claim(REFUSAL_OWNER, `${applicationId} ${hour}`, seconds))) return;
		await rules.recordWorkloadRefusal(client, reason, origin);
	};
}
