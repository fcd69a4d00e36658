// A gate: decides for a proxy or a middleware who may call an application that knows nothing of this service.

import { AppError, refusedField } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { ApplicationStatus } from "./application.ts";
import type { GateRule } from "./gate-rule.ts";

/** `partner`: an API client; `person`: a user, by session or token; `program`: a client that acts for itself. */
export const CALLER_KINDS = ["partner", "person", "program"] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

export const BROWSER_ORIGIN_MAX = 512;
export const CORS_ORIGINS_MAX = 20;

/** What an administrator configures. */
export interface GateSettings {
	/** The first rule that matches decides; without one, a request is refused. */
	readonly rules: readonly GateRule[];
	/** The kinds of callers that pass. */
	readonly accept: readonly CallerKind[];
	/** The https origin of the application, if browsers sign in there; unique in the tenant. */
	readonly browserOrigin: string | null;
	/** Whether a response contains a signed statement. */
	readonly statement: boolean;
	/** Whether `Authorization` belongs to the application: it is no proof at this gate. */
	readonly ownTokens: boolean;
	/** The https origins whose pages may read responses. */
	readonly corsOrigins: readonly string[];
}

export interface Gate extends GateSettings {
	/** A gate has the id of its application. */
	readonly applicationId: string;
	readonly tenantId: string;
	/** Last four characters of the key. */
	readonly keyHint: string;
	readonly previousKeyExpiresAtMs: number | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** The stored form of the keys; see `tokenDigest`. */
export interface GateKeyDigests {
	readonly keyDigest: string;
	/** Valid until `previousKeyExpiresAtMs`; never valid without that time. */
	readonly previousKeyDigest: string | null;
}

export type StoredGate = Gate & GateKeyDigests;
export type NewGateKey = GateKeyDigests & Pick<Gate, "keyHint" | "previousKeyExpiresAtMs">;

/** What a request to the gate reads, in one statement. Lists are text as stored, so that parsed ones can be cached. */
export interface AskedGate
	extends GateKeyDigests,
		Pick<Gate, "tenantId" | "browserOrigin" | "previousKeyExpiresAtMs"> {
	readonly appStatus: ApplicationStatus;
	readonly rules: string;
	readonly accept: string;
	/** 0 or 1. */
	readonly statement: number;
	/** 0 or 1. */
	readonly ownTokens: number;
	/** Joined by commas. */
	readonly corsOrigins: string;
	/** The resource that identifies the application as an API, if it is assigned to the tenant. */
	readonly resource: string | null;
}

export interface GateStore {
	/** @returns false if the application has a gate, or another gate of the tenant has the browser origin. */
	insert(gate: StoredGate): Promise<boolean>;
	find(tenantId: string, applicationId: string): Promise<Gate | undefined>;
	/** Newest first. */
	list(tenantId: string, page: PageQuery): Promise<Page<Gate>>;
	/** Inside a transaction: also locks the gate until its end, which serializes concurrent changes. */
	findForUpdate(tenantId: string, applicationId: string): Promise<StoredGate | undefined>;
	/** Searches all tenants: the key authenticates the proxy. */
	findAsked(applicationId: string): Promise<AskedGate | undefined>;
	update(
		tenantId: string,
		applicationId: string,
		changes: Partial<GateSettings>,
		nowMs: number,
	): Promise<"updated" | "missing" | "origin_taken">;
	/** Inside a transaction, after `findForUpdate`. */
	setKey(tenantId: string, applicationId: string, key: NewGateKey, nowMs: number): Promise<boolean>;
	/** @returns false if there is none. */
	remove(tenantId: string, applicationId: string): Promise<boolean>;
}

/** The digests of the keys that are valid now, current first. Compare with `matchesDigest`, in constant time. */
export function liveGateKeys(
	gate: GateKeyDigests & Pick<Gate, "previousKeyExpiresAtMs">,
	nowMs: number,
): string[] {
	const { keyDigest, previousKeyDigest, previousKeyExpiresAtMs: until } = gate;
	return previousKeyDigest !== null && until !== null && nowMs < until
		? [keyDigest, previousKeyDigest]
		: [keyDigest];
}

export function gateNotFound(): AppError {
	return new AppError("gate.not_found", "the application has no gate");
}

export function gateOriginTaken(): AppError {
	return refusedField("gate.origin_taken", "browser_origin", problem("used_by_gate"));
}
