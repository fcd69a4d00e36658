// A sample of the requests that each gate let pass, in the memory of this node: what unsaved rules are tried against.

import type { CallerKind } from "./gate.ts";
import { METHOD_MAX } from "./gate-rule.ts";

/** What a rule decides by. Names no caller and no address, and has no query. */
export interface SampledRequest {
	readonly method: string;
	/** As sent, undecoded. */
	readonly path: string;
	/** Undefined: the rule was public, so the gate did not ask who called. */
	readonly kind: CallerKind | undefined;
	readonly isTest: boolean;
	readonly hasSecondFactor: boolean;
	/** Held at that time, within the scopes of a token. */
	readonly permissions: readonly string[];
}

/** One request of a gate in this time. */
export const SAMPLED_EVERY_MS = 1_000;
export const SAMPLED_KEPT = 100;
/** More gates displace the one that was sampled least recently. */
export const SAMPLED_GATES_MAX = 100;
/** Longer requests are not sampled, so that the memory is bounded. */
const PATH_MAX = 500;
const PERMISSIONS_MAX = 100;

interface Ring {
	nextMs: number;
	/** Oldest first. */
	readonly requests: SampledRequest[];
}

/** Never stored and never logged: it ends with the process. */
export class GateSample {
	readonly #rings = new Map<string, Ring>();

	/** Whether the next request of the gate is kept; most are not. */
	isDue(applicationId: string, nowMs: number): boolean {
		return nowMs >= (this.#rings.get(applicationId)?.nextMs ?? 0);
	}

	keep(applicationId: string, nowMs: number, request: SampledRequest): void {
		const { method, path, permissions } = request;
		if (method.length > METHOD_MAX || path.length > PATH_MAX || permissions.length > PERMISSIONS_MAX) return;
		const ring = this.#rings.get(applicationId) ?? { nextMs: 0, requests: [] };
		ring.nextMs = nowMs + SAMPLED_EVERY_MS;
		ring.requests.push(request);
		if (ring.requests.length > SAMPLED_KEPT) ring.requests.shift();
		this.#rings.delete(applicationId);
		this.#rings.set(applicationId, ring);
		const [oldest] = this.#rings.keys();
		if (this.#rings.size > SAMPLED_GATES_MAX && oldest !== undefined) this.#rings.delete(oldest);
	}

	/** Newest first. The gate must be of the caller's tenant. */
	of(applicationId: string): readonly SampledRequest[] {
		return this.#rings.get(applicationId)?.requests.toReversed() ?? [];
	}
}
