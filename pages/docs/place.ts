// What the reference shows, from the URL: `#listUsers`, `#group-users`, `#signing`, and `?q=` while searching.

import { signal } from "@preact/signals";

export interface Place {
	/** Without `#`. */
	readonly anchor: string;
	readonly query: string;
}

/** The overview with the focus in the search; where the shortcut of the guides leads. */
export const SEARCH_ANCHOR = "search";

export const place = signal<Place>(placeOf(location));

addEventListener("hashchange", () => {
	// A link leaves the search results.
	if (place.value.query !== "") writeQuery("");
	place.value = { anchor: anchorOf(location.hash), query: "" };
});
addEventListener("popstate", () => {
	place.value = placeOf(location);
});

/** Typing does not add history entries. */
export function search(query: string): void {
	writeQuery(query);
	place.value = { ...place.value, query };
}

function writeQuery(query: string): void {
	const search = query === "" ? "" : `?${new URLSearchParams({ q: query })}`;
	history.replaceState(null, "", `${location.pathname}${search}${location.hash}`);
}

function placeOf({ search, hash }: Location): Place {
	return { anchor: anchorOf(hash), query: new URLSearchParams(search).get("q") ?? "" };
}

function anchorOf(hash: string): string {
	try {
		return decodeURIComponent(hash.slice(1));
	} catch {
		// Not valid percent-encoding, so it matches nothing.
		return hash.slice(1);
	}
}
