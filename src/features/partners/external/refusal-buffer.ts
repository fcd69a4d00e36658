// Holds refused calls in bounded memory between two writes.

import { type ObservedRefusal, REFUSED_CALLS_OF_CODE } from "../../../domain/refused-call.ts";
import { HOUR_MS } from "../../../kernel/clock.ts";
import type { ErrorCode } from "../../../kernel/error.ts";

/** The refused calls of one client, or of one API key, in one hour. */
export interface RefusalSource extends Pick<ObservedRefusal, "client" | "apiKey" | "namedTenantId" | "atMs"> {
	/** `total` includes the calls that are not kept. */
	readonly byCode: Map<ErrorCode, { total: number; readonly newest: ObservedRefusal[] }>;
}

/** Calls of further clients or API keys are not kept. */
const SOURCES_MAX = 1_000;
/** Calls over all sources. */
const CALLS_MAX = 5_000;

export class RefusalBuffer {
	#sources = new Map<string, RefusalSource>();
	#calls = 0;

	/** Keeps the newest calls of each source and code. @returns false if the buffer has no room for the source. */
	add(call: ObservedRefusal): boolean {
		const source = this.#sourceOf(call);
		if (source === undefined) return false;
		let ofCode = source.byCode.get(call.code);
		if (ofCode === undefined) {
			ofCode = { total: 0, newest: [] };
			source.byCode.set(call.code, ofCode);
		}
		ofCode.total++;
		if (ofCode.newest.length >= REFUSED_CALLS_OF_CODE) ofCode.newest.shift();
		else if (this.#calls >= CALLS_MAX) return true;
		else this.#calls++;
		ofCode.newest.push(call);
		return true;
	}

	/** Empties the buffer. */
	take(): RefusalSource[] {
		const sources = [...this.#sources.values()];
		this.#sources = new Map();
		this.#calls = 0;
		return sources;
	}

	#sourceOf({ client, apiKey, namedTenantId, signatureValid, atMs }: ObservedRefusal) {
		const name = client?.id ?? `${apiKey ?? ""} ${namedTenantId ?? ""}`;
		// Separate the calls without a valid signature, so that a stranger cannot displace those of the client.
		const key = `${name} ${signatureValid} ${Math.floor(atMs / HOUR_MS)}`;
		let source = this.#sources.get(key);
		if (source === undefined && this.#sources.size < SOURCES_MAX) {
			source = { client, apiKey, namedTenantId, atMs, byCode: new Map() };
			this.#sources.set(key, source);
		}
		return source;
	}
}
