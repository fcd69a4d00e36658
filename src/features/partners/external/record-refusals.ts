// Buffers refused signed calls in memory and writes them in batches.

import type { ObservedRefusal, RefusalRecorder, RefusedCall } from "../../../domain/refused-call.ts";
import type { EventCounter } from "../../../domain/statistics.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { RefusalBuffer, type RefusalSource } from "./refusal-buffer.ts";

type Client = NonNullable<ObservedRefusal["client"]>;
type Owner = { readonly client?: Client; readonly tenantId: string };
type Needed = Needs<"signingClients" | "tenants" | "refusedCalls">;

/**
 * Looks up the API keys of calls above the rate limit only when it writes them, so that a flood costs no reads. Stores nothing for a key that
 * no client has. The next `flush` retries a failed one; a crash loses the calls since the last one.
 */
export class RefusedCalls implements RefusalRecorder {
	readonly #events: EventCounter;
	readonly #ofClients = new RefusalBuffer();
	/** Separate, so that a flood of unknown keys does not displace calls of known clients. */
	readonly #ofKeys = new RefusalBuffer();
	/** Being written. */
	#taken: readonly RefusalSource[] = [];

	constructor(events: EventCounter) {
		this.#events = events;
	}

	record(call: ObservedRefusal): void {
		const { client, apiKey, namedTenantId, code, atMs } = call;
		if (client !== undefined) {
			this.#events.count(client.tenantId, "signed_call_refused", code, 1, atMs);
			this.#events.countFor(client, "signed_call_refused", code, 1, atMs);
			this.#ofClients.add(call);
			return;
		}
		const isUnattributed = apiKey === undefined && namedTenantId === undefined;
		if (isUnattributed || !this.#ofKeys.add(call))
			this.#events.count(undefined, "signed_call_refused", code, 1, atMs);
	}

	async flush(needs: Needed): Promise<void> {
		await this.#write(needs);
		this.#taken = [...this.#ofClients.take(), ...this.#ofKeys.take()];
		await this.#write(needs);
	}

	async #write(needs: Needed): Promise<void> {
		if (this.#taken.length === 0) return;
		const owners = await Promise.all(this.#taken.map((source) => ownerOf(needs, source)));
		const calls = this.#taken.flatMap((source, index) => callsOf(source, owners[index]?.client));
		if (calls.length > 0) await needs.db.transaction(({ refusedCalls }) => refusedCalls.add(calls));
		for (const [index, source] of this.#taken.entries()) this.#countNamed(source, owners[index]);
		this.#taken = [];
	}

	/** `record` has already counted the calls of known clients. */
	#countNamed({ client, byCode, atMs }: RefusalSource, owner: Owner | undefined): void {
		if (client !== undefined) return;
		for (const [code, { total }] of byCode) {
			this.#events.count(owner?.tenantId, "signed_call_refused", code, total, atMs);
			if (owner?.client !== undefined)
				this.#events.countFor(owner.client, "signed_call_refused", code, total, atMs);
		}
	}
}

/** The client of the API key or, for an unknown key, the tenant that the call named, if it exists. */
async function ownerOf(
	{ db: { stores } }: Needed,
	{ client, apiKey, namedTenantId }: RefusalSource,
): Promise<Owner | undefined> {
	const known =
		client ?? (apiKey === undefined ? undefined : await stores.signingClients.findByApiKey(apiKey));
	if (known !== undefined) return { client: known, tenantId: known.tenantId };
	const tenant = namedTenantId === undefined ? undefined : await stores.tenants.findById(namedTenantId);
	return tenant && { tenantId: tenant.id };
}

function callsOf({ byCode }: RefusalSource, client: Client | undefined): RefusedCall[] {
	if (client === undefined) return [];
	const calls = [...byCode.values()].flatMap(({ newest }) => newest);
	return calls.map(({ client: _client, apiKey: _key, namedTenantId: _tenant, ...call }) => ({
		...call,
		id: newId(call.atMs),
		tenantId: client.tenantId,
		clientId: client.id,
	}));
}
