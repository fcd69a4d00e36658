// The versions of the records that the console shows: no change overwrites one that its user has not seen.

import { transport } from "../../api/request.ts";
import { loadWords } from "../../words/words.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A record as a response had it, with its version. */
interface Kept {
	readonly etag: string;
	readonly data: Fields;
}

const records = new Map<string, Kept>();
const { fetch } = transport;

transport.fetch = async (target, init) => {
	const { method = "GET" } = init;
	let { body } = init;
	for (;;) {
		const seen = method === "GET" ? undefined : records.get(target);
		const headers = { ...init.headers, ...(seen && { "if-match": seen.etag }) };
		const response = await fetch(target, { ...init, headers, ...(body && { body }) });
		if (response.ok) await keep(method, target, response);
		if (seen === undefined || response.status !== 412) return response;
		const reading = await fetch(target, { ...init, method: "GET", body: null });
		if (!reading.ok) return reading;
		await keep("GET", target, reading);
		const now = records.get(target);
		if (now === undefined || now.etag === seen.etag) return response;
		const mine = typeof body === "string" ? merged(method, JSON.parse(body), seen.data, now.data) : {};
		const canceled = await settle(target, method === "DELETE", mine, seen.data, now.data);
		if (canceled !== undefined) {
			// The form still shows what it was opened with.
			records.set(target, seen);
			return canceled;
		}
		if (typeof body === "string") body = JSON.stringify(mine);
	}
};

/** What the user left as it was stays as it is now. A PATCH need not name it. */
function merged(method: string, mine: Fields, seen: Fields, now: Fields): Fields {
	const fields = Object.entries(mine).flatMap(([name, value]) => {
		if (!isSame(value, seen[name])) return [[name, value]];
		return method === "PATCH" ? [] : [[name, now[name]]];
	});
	return Object.fromEntries(fields);
}

async function keep(method: string, target: string, response: Response): Promise<void> {
	const [path = ""] = target.split("?");
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

/** Asks, unless they changed other fields. @returns a response if the user cancels the change */
async function settle(
	target: string,
	isRemoval: boolean,
	mine: Fields,
	seen: Fields,
	now: Fields,
): Promise<Response | undefined> {
	const both = Object.entries(mine).filter(
		([name, value]) => !isSame(now[name], seen[name]) && !isSame(now[name], value),
	);
	if (both.length === 0 && !isRemoval) return undefined;
	const [{ askConflict }] = await Promise.all([
		import("./conflict-dialog.tsx"),
		loadWords(["console-access", "console-audit"]),
	]);
	const changes = Object.fromEntries(both.map(([name, to]) => [name, { from: now[name], to }]));
	const detail = await askConflict({ target, isRemoval, changes });
	return detail === undefined
		? undefined
		: Response.json({ code: "change.canceled", detail }, { status: 412 });
}

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
