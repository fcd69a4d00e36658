// The order of the people, as the address and the API write it: a field, `-` before it for the other way.

import type { Sort } from "../../ui/table.tsx";

/** The orders to choose from; `""` is the newest first. */
export const SORTS = [
	"",
	"name",
	"-name",
	"username",
	"-username",
	"-last_login_at",
	"last_login_at",
] as const;

export function sortOf(text = ""): Sort | undefined {
	if (text === "") return undefined;
	return text.startsWith("-") ? { key: text.slice(1), direction: "desc" } : { key: text, direction: "asc" };
}

export function textOf({ key, direction }: Sort): string {
	return direction === "desc" ? `-${key}` : key;
}
