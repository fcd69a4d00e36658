// Buffers refused calls in memory and writes them in batches.

import {
	NO_CALLER,
	type ObservedRefusal,
	REFUSALS_KEPT,
	type Refusal,
	type RefusalRecorder,
	type RefusedSignedCall,
} from "../../../domain/refusal.ts";
import type { EventCounter } from "../../../domain/statistics.ts";
import type { Db, Stores } from "../../../domain/stores.ts";
import { HOUR_MS } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/id.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";

/** Lots that wait. */
const LOTS_MAX = 2_000;
/** Lots of API keys that are not looked up yet, so that a flood of invented keys displaces no known subject. */
const STRANGERS_MAX = 1_000;
/** Above about so many refusals, a lot holds fewer. */
const REFUSALS_MAX = 6_000;
/** Every lot may hold so many. */
const LOT_MIN = 20;

/** The refusals of one subject with one code, with or without a recognized caller. */
interface Lot {
	readonly key: string;
	/** Oldest first. */
	readonly newest: ObservedRefusal[];
	/** Includes those that are not kept. */
	total: number;
}

/** Whom a refusal concerns; only a tenant for an unknown API key. */
interface Owner extends Pick<Refusal, "tenantId"> {
	readonly ids: Pick<Refusal, "apiClientId" | "applicationId"> | undefined;
}

type Looked = "signingClients" | "oauthClients" | "tenants";

/**
 * Looks up API keys only when it writes, so that a flood costs no reads. Stores nothing for a key that no client has.
 * Floods at some subjects do not displace the refusals of others.
 */
export class Refusals implements RefusalRecorder {
	readonly #db: Db<Looked | "refusals">;
	readonly #events: EventCounter;
	readonly buffer: WriteBehind<Lot>;
	/** Lots of unknown API keys. */
	readonly #strangers = new Set<string>();

	constructor(db: Db<Looked | "refusals">, events: EventCounter) {
		this.#db = db;
		this.#events = events;
		this.buffer = new WriteBehind<Lot>({
			name: "refusals",
			max: LOTS_MAX,
			merge: (earlier, later) => this.#merge(earlier, later),
			write: (lots) => this.#write(lots),
			onDrop: (lot) => this.#countNamed(lot, undefined),
		});
	}

	record(observed: ObservedRefusal): void {
		const refusal = storable(observed);
		const key = keyOf(refusal);
		if (refusal.subject === "api_client") {
			const { client, code, atMs } = refusal;
			if (client !== undefined) {
				this.#events.count(client.tenantId, "signed_call_refused", code, 1, atMs);
				this.#events.countFor(client, "signed_call_refused", code, 1, atMs);
			} else if (!this.#admits(refusal, key)) {
				this.#events.count(undefined, "signed_call_refused", code, 1, atMs);
				return;
			}
		}
		this.buffer.record(key, { key, newest: [refusal], total: 1 });
	}

	#admits({ apiKey, namedTenantId }: RefusedSignedCall, key: string): boolean {
		if (apiKey === undefined && namedTenantId === undefined) return false;
		if (this.#strangers.size >= STRANGERS_MAX) return this.#strangers.has(key);
		this.#strangers.add(key);
		return true;
	}

	#merge(earlier: Lot, later: Lot): Lot {
		const { newest } = earlier;
		const kept = REFUSALS_KEPT[newest[0]?.subject ?? "api_client"].ofCode;
		const limit = Math.min(kept, Math.max(LOT_MIN, Math.floor(REFUSALS_MAX / this.buffer.size)));
		newest.push(...later.newest);
		while (newest.length > limit) newest.shift();
		earlier.total += later.total;
		return earlier;
	}

	async #write(lots: readonly Lot[]): Promise<void> {
		const { stores } = this.#db;
		const owners = await Promise.all(lots.map(({ newest: [first] }) => first && ownerOf(stores, first)));
		const rows = lots.flatMap(({ newest }, index) => rowsOf(newest, owners[index]));
		if (rows.length > 0) await this.#db.transaction(({ refusals }) => refusals.add(rows));
		for (const [index, lot] of lots.entries()) this.#countNamed(lot, owners[index]);
	}

	/** `record` has already counted the calls of known clients. */
	#countNamed({ key, newest: [first], total }: Lot, owner: Owner | undefined): void {
		if (first?.subject !== "api_client" || first.client !== undefined) return;
		this.#strangers.delete(key);
		const { code, atMs } = first;
		this.#events.count(owner?.tenantId, "signed_call_refused", code, total, atMs);
		const id = owner?.ids?.apiClientId;
		if (owner !== undefined && id)
			this.#events.countFor({ tenantId: owner.tenantId, id }, "signed_call_refused", code, total, atMs);
	}
}

/** With texts that every database stores: one NUL character would make each write of the whole batch fail. */
function storable(refusal: ObservedRefusal): ObservedRefusal {
	const texts = {
		reason: refusal.reason === null ? null : storableText(refusal.reason),
		method: storableText(refusal.method),
		path: storableText(refusal.path),
		requestId: storableText(refusal.requestId),
	};
	if (refusal.subject !== "api_client") return { ...refusal, ...texts };
	const { apiKey, namedTenantId } = refusal;
	return {
		...refusal,
		...texts,
		apiKey: apiKey && storableText(apiKey),
		namedTenantId: namedTenantId && storableText(namedTenantId),
	};
}

function storableText(text: string): string {
	return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function keyOf(refusal: ObservedRefusal): string {
	const { subject, caller, code } = refusal;
	return `${subject} ${nameOf(refusal)} ${caller === NO_CALLER} ${code}`;
}

function nameOf(refusal: ObservedRefusal): string {
	if (refusal.subject !== "api_client") return refusal.applicationId;
	const { client, apiKey = "", namedTenantId = "", atMs } = refusal;
	// Those of unknown keys are counted by hour.
	return client?.id ?? `${apiKey} ${namedTenantId} ${Math.floor(atMs / HOUR_MS)}`;
}

/** Of an unknown API key, the tenant that the call named, if it exists. */
async function ownerOf(stores: Stores<Looked>, refusal: ObservedRefusal): Promise<Owner | undefined> {
	if (refusal.subject === "gate") {
		const { tenantId, applicationId, apiClientId } = refusal;
		return { tenantId, ids: { applicationId, apiClientId } };
	}
	if (refusal.subject === "oauth_client") {
		const { applicationId } = refusal;
		const client = await stores.oauthClients.findPresented(applicationId);
		return client && { tenantId: client.tenantId, ids: { applicationId, apiClientId: null } };
	}
	const { apiKey, namedTenantId } = refusal;
	const client = apiKey === undefined ? undefined : await stores.signingClients.findByApiKey(apiKey);
	if (client !== undefined) {
		const { id, tenantId, mode, appId } = client;
		return { tenantId, ids: { apiClientId: id, applicationId: mode === "test" ? null : appId } };
	}
	const tenant = namedTenantId === undefined ? undefined : await stores.tenants.findById(namedTenantId);
	return tenant && { tenantId: tenant.id, ids: undefined };
}

function rowsOf(refusals: readonly ObservedRefusal[], owner: Owner | undefined): Refusal[] {
	if (owner?.ids === undefined) return [];
	const { tenantId, ids } = owner;
	return refusals.map(({ subject, atMs, code, reason, method, path, rule, caller, ip, requestId }) => ({
		id: newId(atMs),
		tenantId,
		subject,
		...ids,
		atMs,
		code,
		reason,
		method,
		path,
		rule,
		caller,
		ip,
		requestId,
	}));
}
