// Removes links from texts that people typed.

/**
 * Characters by which mail programs recognise links, when text follows: dots, `@` and the colon of a scheme, each also
 * full-width, small or ideographic, and between two slashes or backslashes.
 */
const LINK_PARTS =
	/[.\u2024\u3002\ufe52\uff0e\uff61@\ufe6b\uff20:\ufe55\uff1a](?=\P{White_Space})|[\\/](?=[\\/])/gu;
const ZERO_WIDTH_SPACE = "\u200b";

/**
 * Inserts a zero-width space into links, bare domains, e-mail addresses and file addresses. The text looks the same, but
 * a copy of it holds the spaces.
 */
export function unlinked(text: string): string {
	return text.replace(LINK_PARTS, `$&${ZERO_WIDTH_SPACE}`);
}

/** Written by the service or a reviewer, or checked to be one plain address. */
const LINKS_KEPT = /^(kind|change|code|ip|requestId|email|reviewNote)$|Url$|(^a|A)t$/;

/** Whether a parameter of a mail keeps its links. Decided by name: a new parameter loses its links unless listed here. */
export function keepsLinks(parameter: string): boolean {
	return LINKS_KEPT.test(parameter);
}
