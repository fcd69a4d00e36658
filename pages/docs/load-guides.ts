// The sections of the guides and the meanings of error codes, as the service makes them from its documents.

import { errorOf } from "../api/error.ts";

export interface GuideEntry {
	/** Path and anchor. */
	readonly href: string;
	/** Of a section; or an error code. */
	readonly title: string;
	/** Distinct words, in lower case. */
	readonly words: string;
	/** Of an error code. */
	readonly meaning?: string;
}

export interface Guides {
	readonly entries: readonly GuideEntry[];
	/** By error code. */
	readonly meanings: ReadonlyMap<string, GuideEntry>;
}

export const NO_GUIDES: Guides = { entries: [], meanings: new Map() };

/** @throws ApiError */
export async function loadGuides(signal: AbortSignal): Promise<Guides> {
	const response = await fetch("/pages/guides.json", { credentials: "omit", signal });
	if (!response.ok) throw await errorOf(response);
	const entries: readonly GuideEntry[] = await response.json();
	const codes = entries.filter(({ href }) => href.startsWith("/docs/errors#"));
	return { entries, meanings: new Map(codes.map((entry) => [entry.title, entry])) };
}
