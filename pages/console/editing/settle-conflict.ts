// What becomes of a change of a record that someone else changed.

import { loadWords } from "../../words/words.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Refused {
	readonly method: string;
	readonly target: string;
	readonly body: RequestInit["body"];
	/** The record as the user saw it, and as it is now. */
	readonly seen: Fields;
	readonly now: Fields;
}

/**
 * Asks, unless they changed other fields.
 *
 * @returns the body to send instead; a response if the user cancels the change
 */
export async function settle({
	method,
	target,
	body,
	seen,
	now,
}: Refused): Promise<RequestInit["body"] | Response> {
	const mine = typeof body === "string" ? merged(method, JSON.parse(body), seen, now) : {};
	const isRemoval = method === "DELETE";
	const both = Object.entries(mine).filter(
		([name, value]) => !isSame(now[name], seen[name]) && !isSame(now[name], value),
	);
	if (both.length > 0 || isRemoval) {
		const [{ askConflict }] = await Promise.all([
			import("./conflict-dialog.tsx"),
			loadWords(["console-access", "console-audit"]),
		]);
		const changes = Object.fromEntries(both.map(([name, to]) => [name, { from: now[name], to }]));
		const detail = await askConflict({ target, isRemoval, changes });
		if (detail !== undefined) return Response.json({ code: "change.canceled", detail }, { status: 412 });
	}
	return typeof body === "string" ? JSON.stringify(mine) : body;
}

/** What the user left as it was stays as it is now. A PATCH need not name it. */
function merged(method: string, mine: Fields, seen: Fields, now: Fields): Fields {
	const fields = Object.entries(mine).flatMap(([name, value]) => {
		if (!isSame(value, seen[name])) return [[name, value]];
		return method === "PATCH" ? [] : [[name, now[name]]];
	});
	return Object.fromEntries(fields);
}

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
