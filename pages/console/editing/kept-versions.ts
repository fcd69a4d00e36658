// The versions of the records that the console shows: no change overwrites one that its user has not seen.

import { transport } from "../../api/request.ts";
import { lastError } from "../palette/last-error.ts";

/** A record as a response had it, with its version. */
interface Kept {
	readonly etag: string;
	readonly data: Readonly<Record<string, unknown>>;
}

const records = new Map<string, Kept>();
const { fetch } = transport;

transport.fetch = async (input, init = {}) => {
	const target = String(input);
	const { method = "GET" } = init;
	let { body } = init;
	for (;;) {
		const seen = method === "GET" ? undefined : records.get(target);
		const headers = { ...init.headers, ...(seen && { "if-match": seen.etag }) };
		const response = await fetch(target, { ...init, headers, ...(body && { body }) });
		if (response.ok) await keep(method, target, response);
		else lastError.requestId = response.headers.get("x-request-id") ?? lastError.requestId;
		if (seen === undefined || response.status !== 412) return response;
		const reading = await fetch(target, { ...init, method: "GET", body: null });
		if (!reading.ok) return reading;
		await keep("GET", target, reading);
		const now = records.get(target);
		if (now === undefined || now.etag === seen.etag) return response;
		const { settle } = await import("./settle-conflict.ts");
		const settled = await settle({ method, target, body, seen: seen.data, now: now.data });
		if (settled instanceof Response) {
			// The form still shows what it was opened with.
			records.set(target, seen);
			return settled;
		}
		body = settled;
	}
};

/** Questions about a record: they change nothing. */
const QUESTION = /\/gate\/(?:explain|replay)$/;

async function keep(method: string, target: string, response: Response): Promise<void> {
	const [path = ""] = target.split("?");
	if (QUESTION.test(path)) return;
	const etag = response.headers.get("etag");
	// A change of a part changes the record, and a list shows its records as they are now.
	for (const other of records.keys()) {
		const isStale =
			method === "GET" ? etag === null && other.startsWith(`${path}/`) : path.startsWith(`${other}/`);
		if (isStale) records.delete(other);
	}
	if (etag !== null) records.set(target, { etag, data: (await response.clone().json()).data });
	else if (method === "DELETE") records.delete(target);
}
