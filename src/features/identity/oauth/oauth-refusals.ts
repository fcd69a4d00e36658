// Buffers refused requests of OAuth clients in bounded memory; a job writes them every few seconds.

import { OAUTH_REFUSALS_OF_CODE, type OAuthRefusal } from "../../../domain/oauth-refusal.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

/** Kinds of refusals: clients times errors. Further ones are not kept. */
const KINDS_MAX = 1_000;

export class OAuthRefusals {
	#byKind = new Map<string, OAuthRefusal[]>();

	/** Keeps the newest of each client and error. */
	record(refusal: Omit<OAuthRefusal, "id">): void {
		const kind = `${refusal.clientId} ${refusal.code}`;
		let newest = this.#byKind.get(kind);
		if (newest === undefined) {
			if (this.#byKind.size >= KINDS_MAX) return;
			newest = [];
			this.#byKind.set(kind, newest);
		}
		if (newest.length >= OAUTH_REFUSALS_OF_CODE) newest.shift();
		newest.push({ ...refusal, id: newId(refusal.atMs) });
	}

	/** Keeps the refusals if the database is unavailable. */
	async flush({ db }: Needs<"oauthRefusals">): Promise<void> {
		const taken = [...this.#byKind.values()].flat();
		if (taken.length === 0) return;
		await db.transaction(({ oauthRefusals }) => oauthRefusals.add(taken));
		const written = new Set(taken);
		for (const [kind, newest] of this.#byKind) {
			const left = newest.filter((refusal) => !written.has(refusal));
			if (left.length > 0) this.#byKind.set(kind, left);
			else this.#byKind.delete(kind);
		}
	}
}
