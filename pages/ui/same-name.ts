// Whether what was typed is the name that was asked for.

/** Marks of direction are not seen, and may be copied along with a name. */
const INVISIBLE = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function isSameName(typed: string, name: string): boolean {
	return plain(typed) === plain(name);
}

function plain(name: string): string {
	return name.replaceAll(INVISIBLE, "").trim();
}
