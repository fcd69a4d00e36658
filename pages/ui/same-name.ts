// Whether the typed text matches the required name.

/** Ignores direction marks, which are invisible and may be copied with a name. */
const INVISIBLE = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function isSameName(typed: string, name: string): boolean {
	return plain(typed) === plain(name);
}

function plain(name: string): string {
	return name.replaceAll(INVISIBLE, "").trim();
}
