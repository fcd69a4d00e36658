// The audit events of a transaction, which its last statement writes.

import {
	type AuditChain,
	type AuditEntry,
	type AuditEvent,
	CHAIN_VERSION,
	TIME_AHEAD_MAX_MS,
	TIME_SKEW_MS,
} from "../../domain/audit.ts";
import { changesText } from "../../domain/audit-changes.ts";
import type { Queries } from "../sql/queries.ts";
import { auditEvents, auditHeads } from "../sql/tables/record-tables.ts";
import { sealTexts, type UserKeyOptions } from "./sealed-audit.ts";
import { deliveryOf, type EventDelivery, queueWebhookDeliveries } from "./webhook-delivery-store.ts";

export interface AppendOptions extends Pick<UserKeyOptions, "userCiphers" | "open"> {
	readonly nowMs: () => number;
	readonly newId: () => string;
	/** Defined in `features/record/audit/chain.ts`. */
	readonly auditChain: AuditChain;
}

type Unlinked = Omit<AuditEvent, "hash" | "sequence">;
interface Appended {
	readonly event: Unlinked;
	readonly delivery: EventDelivery | undefined;
}

/** Events of one statement, which has a time limit: a command may append to the trails of all tenants. */
const SET_SIZE = 1_000;
const heads = auditHeads.without("tenantId");
const unlinked = auditEvents.without("sequence", "hash");

/**
 * The lock of a head lasts from the write to the commit. Events are therefore collected and written at the end of the
 * transaction: the tenant's other changes wait for one statement and the commit only.
 */
export class AppendedEvents {
	readonly #queries: Queries;
	readonly #options: AppendOptions;
	/** Whether the database has the functions of the audit trail, as PostgreSQL does. */
	readonly hasFunction: boolean;
	/** Undefined outside a transaction. */
	#appended: Appended[] | undefined;

	constructor(queries: Queries, options: AppendOptions, hasFunction: boolean) {
		this.#queries = queries;
		this.#options = options;
		this.hasFunction = hasFunction;
	}

	/** At the beginning of a transaction, and of each repetition. */
	begin(): void {
		this.#appended = [];
	}

	/** After its end, however it ended. */
	end(): void {
		this.#appended = undefined;
	}

	/** @returns the id of the event. @throws Error outside a transaction: the event would not be in that of the change. */
	add(entry: AuditEntry): string {
		if (this.#appended === undefined)
			throw new Error(`the audit event ${entry.action} was appended outside a transaction`);
		const { nowMs, newId } = this.#options;
		const { tenantId, actor, actorName, action, target, targetName } = entry;
		const { ip, requestId } = entry.origin;
		const [id, atMs, details] = [newId(), nowMs(), JSON.stringify(entry.details)];
		const texts = { actor, actorName, target, targetName, details, changes: changesText(entry.changes) };
		const event = { id, tenantId, atMs, action, ip, requestId, chainVersion: CHAIN_VERSION, ...texts };
		this.#appended.push({ event, delivery: deliveryOf(entry, id, atMs) });
		return id;
	}

	/** Writes the events that are not yet written, those of a tenant in the order in which they were appended. */
	async write(): Promise<void> {
		const appended = this.#appended ?? [];
		if (appended.length === 0) return;
		this.#appended = [];
		const plain = appended.map(({ event }) => event);
		const events = await sealTexts(this.#queries, this.#options, plain);
		// Transactions that append to several trails lock their heads in this order.
		events.sort((a, b) => (a.tenantId < b.tenantId ? -1 : Number(a.tenantId > b.tenantId)));
		const deliveries = appended.flatMap(({ delivery }) => delivery ?? []);
		if (this.hasFunction) return this.#callFunction(events, deliveries);
		for (const delivery of deliveries) await queueWebhookDeliveries(this.#queries, delivery);
		for (const [tenantId, ofTenant] of Map.groupBy(events, (event) => event.tenantId))
			await this.#insertLinked(tenantId, ofTenant);
	}

	async #callFunction(events: readonly Unlinked[], deliveries: readonly EventDelivery[]): Promise<void> {
		const { digestOf } = this.#options.auditChain;
		const entries = events.map((event) => ({ ...unlinked.cellsByColumn(event), digest: digestOf(event) }));
		const queued = deliveries.map(({ tenantId, atMs, giveUpAtMs, ...rest }) => {
			return { ...rest, tenant_id: tenantId, at: atMs, give_up_at: giveUpAtMs };
		});
		for (let from = 0; from < entries.length; from += SET_SIZE)
			await this.#queries.run(
				"SELECT append_audit_events(CAST($1 AS JSON), CAST($2 AS JSON))",
				JSON.stringify(entries.slice(from, from + SET_SIZE)),
				from > 0 || queued.length === 0 ? null : JSON.stringify(queued),
			);
	}

	/** For an engine with one writer, which needs no lock. */
	async #insertLinked(tenantId: string, events: readonly Unlinked[]): Promise<void> {
		const { digestOf, link } = this.#options.auditChain;
		const head = await heads.find(this.#queries, { tenantId });
		let end = head ?? { sequence: 0, hash: "", atMs: 0, latestAtMs: 0 };
		for (const event of events) {
			const aheadMs = end.atMs - event.atMs;
			const atMs = aheadMs >= 0 && aheadMs <= TIME_SKEW_MS ? end.atMs : event.atMs;
			const place = { sequence: end.sequence + 1, atMs };
			const laterMs = end.latestAtMs - atMs;
			const latestAtMs = laterMs >= 0 && laterMs <= TIME_AHEAD_MAX_MS ? end.latestAtMs : atMs;
			const hash = link(end.hash, digestOf(event), place);
			end = { ...place, hash, latestAtMs };
			await auditEvents.insert(this.#queries, { ...event, ...place, hash });
		}
		if (head === undefined) await auditHeads.insert(this.#queries, { tenantId, ...end });
		else await auditHeads.update(this.#queries, end, { tenantId });
	}
}
