// Buffers refused requests of gates in bounded memory; a job writes them every few seconds.

import { GATE_REFUSALS_MAX, type GateRefusal } from "../../../domain/gate.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

/** Over all gates; a further one replaces the oldest of the gate that has the most. */
const REFUSALS_MAX = 5_000;

export class GateRefusals {
	#byGate = new Map<string, GateRefusal[]>();
	#total = 0;

	/** Keeps the newest of each gate. */
	record(refusal: Omit<GateRefusal, "id">): void {
		let newest = this.#byGate.get(refusal.applicationId);
		if (newest === undefined) {
			newest = [];
			this.#byGate.set(refusal.applicationId, newest);
		}
		if (newest.length >= GATE_REFUSALS_MAX) newest.shift();
		else if (this.#total >= REFUSALS_MAX) this.#fullest().shift();
		else this.#total++;
		newest.push({ ...refusal, id: newId(refusal.atMs) });
	}

	/** Floods of some gates must not displace the refusals of another. */
	#fullest(): GateRefusal[] {
		let fullest: GateRefusal[] = [];
		for (const newest of this.#byGate.values()) if (newest.length > fullest.length) fullest = newest;
		return fullest;
	}

	/** Keeps the refusals if the database is unavailable. */
	async flush({ db }: Needs<"gateRefusals">): Promise<void> {
		const taken = [...this.#byGate.values()].flat();
		if (taken.length === 0) return;
		await db.transaction(({ gateRefusals }) => gateRefusals.add(taken));
		const written = new Set(taken);
		this.#total = 0;
		for (const [gate, newest] of this.#byGate) {
			const left = newest.filter((refusal) => !written.has(refusal));
			if (left.length > 0) this.#byGate.set(gate, left);
			else this.#byGate.delete(gate);
			this.#total += left.length;
		}
	}
}
