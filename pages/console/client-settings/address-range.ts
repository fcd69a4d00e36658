// Addresses and ranges of an allowlist, by the API's rules; a test compares both.

export interface Range {
	/** Normal form: dotted IPv4, or IPv6 as in RFC 5952, with `/prefix` if one was written. */
	readonly text: string;
	readonly version: 4 | 6;
	readonly first: bigint;
	readonly last: bigint;
	readonly freeBits: number;
}

export type Problem =
	| { readonly problem: "leadingZero" | "zone" | "noAddress" }
	| { readonly problem: "prefix"; readonly least: number; readonly most: number }
	| { readonly problem: "hostBits"; readonly range: string };

interface Address {
	readonly version: 4 | 6;
	readonly value: bigint;
	/** Bits to subtract from a prefix: 96 for an IPv4-mapped IPv6 address. */
	readonly offset: number;
}

const LONGEST = 45;
const MAPPED = 0xffffn;
const PREFIX = /^(?:0|[1-9][0-9]{0,2})$/;
const LEADING_ZERO = /(?:^|[.:])0[0-9]+(?:\.|$)/;

export function parseRange(text: string): Range | Problem {
	const slash = text.indexOf("/");
	const addressText = slash < 0 ? text : text.slice(0, slash);
	const address = parseAddress(addressText);
	if (address === undefined) return { problem: complaint(addressText) };
	const { version, value, offset } = address;
	const bits = version === 4 ? 32 : 128;
	if (slash < 0) return rangeOf(version, value, 0, "");
	const prefixText = text.slice(slash + 1);
	const prefix = PREFIX.test(prefixText) ? Number(prefixText) - offset : -1;
	if (prefix < 0 || prefix > bits) return { problem: "prefix", least: offset, most: offset + bits };
	const freeBits = bits - prefix;
	const network = (value >> BigInt(freeBits)) << BigInt(freeBits);
	if (network !== value) return { problem: "hostBits", range: `${textOf(version, network)}/${prefix}` };
	return rangeOf(version, value, freeBits, `/${prefix}`);
}

/** Whether `outer` holds every address of `inner`. */
export function covers(outer: Range, inner: Range): boolean {
	return outer.version === inner.version && outer.first <= inner.first && inner.last <= outer.last;
}

/** The first and the last address as text. */
export function boundsOf({ version, first, last }: Range): readonly [string, string] {
	return [textOf(version, first), textOf(version, last)];
}

function rangeOf(version: 4 | 6, first: bigint, freeBits: number, suffix: string): Range {
	const last = first + (1n << BigInt(freeBits)) - 1n;
	return { text: `${textOf(version, first)}${suffix}`, version, first, last, freeBits };
}

function parseAddress(text: string): Address | undefined {
	if (text.length > LONGEST) return undefined;
	if (!text.includes(":")) {
		const value = parseIpv4(text);
		return value === undefined ? undefined : { version: 4, value, offset: 0 };
	}
	const value = parseIpv6(text);
	if (value === undefined) return undefined;
	const isMapped = value >> 32n === MAPPED;
	return isMapped ? { version: 4, value: value & 0xffffffffn, offset: 96 } : { version: 6, value, offset: 0 };
}

function parseIpv4(text: string): bigint | undefined {
	const octets = text.split(".");
	if (octets.length !== 4) return undefined;
	let value = 0n;
	for (const octet of octets) {
		if (!PREFIX.test(octet) || Number(octet) > 255) return undefined;
		value = (value << 8n) | BigInt(octet);
	}
	return value;
}

function parseIpv6(text: string): bigint | undefined {
	const tailAt = text.lastIndexOf(":") + 1;
	const tail = text.slice(tailAt);
	const dotted = tail.includes(".") ? parseIpv4(tail) : undefined;
	if (tail.includes(".") && dotted === undefined) return undefined;
	const plain =
		dotted === undefined
			? text
			: `${text.slice(0, tailAt)}${(dotted >> 16n).toString(16)}:${(dotted & 0xffffn).toString(16)}`;
	const halves = plain.split("::");
	if (halves.length > 2) return undefined;
	const [left, right] = halves.map((half) => (half === "" ? [] : half.split(":")));
	const missing = 8 - (left?.length ?? 0) - (right?.length ?? 0);
	if (right === undefined ? missing !== 0 : missing < 1) return undefined;
	const groups = [...(left ?? []), ...Array.from({ length: missing }, () => "0"), ...(right ?? [])];
	if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
	return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function textOf(version: 4 | 6, value: bigint): string {
	const [count, size] = version === 4 ? [4, 8n] : [8, 16n];
	const parts = Array.from({ length: count }, (_, index) => {
		return (value >> (size * BigInt(count - 1 - index))) & ((1n << size) - 1n);
	});
	return version === 4 ? parts.join(".") : shortened(parts.map((part) => part.toString(16)));
}

/** RFC 5952: `::` for the longest run of two or more zeros, the first of several. */
function shortened(groups: readonly string[]): string {
	let best = { at: -1, length: 1 };
	for (let at = 0; at < groups.length; at++) {
		let length = 0;
		while (groups[at + length] === "0") length += 1;
		if (length > best.length) best = { at, length };
	}
	if (best.at < 0) return groups.join(":");
	return `${groups.slice(0, best.at).join(":")}::${groups.slice(best.at + best.length).join(":")}`;
}

function complaint(text: string): "leadingZero" | "zone" | "noAddress" {
	if (LEADING_ZERO.test(text) && text.includes(".")) return "leadingZero";
	return text.includes("%") ? "zone" : "noAddress";
}
