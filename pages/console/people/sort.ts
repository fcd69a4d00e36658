// The sort order of people in the URL and the API: a field, with `-` in front for descending.

import type { Sort } from "../../ui/table.tsx";

/** The available orders; `""` is newest first. */
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
