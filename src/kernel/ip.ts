// Parses IP addresses and ranges strictly, so that each address has exactly one accepted meaning.

import ipaddr from "ipaddr.js";
import { type Problem, problem } from "./field-reason.ts";
import { RecentMap } from "./recent-map.ts";

/** One address; an IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) is always converted to IPv4. */
export interface IpAddress {
	/** Canonical text: dotted IPv4, or IPv6 as in RFC 5952 (lower case, compressed). */
	readonly text: string;
	/** 16 bits each, most significant first: two for IPv4, eight for IPv6. */
	readonly words: readonly number[];
}

/** A range of addresses, all of one version. */
export interface Cidr {
	/** Canonical address, with `/prefix` if one was written. */
	readonly text: string;
	readonly words: readonly number[];
	/** 0 to 32 (IPv4) or 128 (IPv6). */
	readonly prefixBits: number;
}

const LONGEST_IP = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255".length;
const MAPPED_BITS = 96;
const PREFIX = /^(?:0|[1-9][0-9]{0,2})$/;
const OCTET_WITH_ZERO = /(?:^|[.:])0[0-9]+(?:\.|$)/;

// Parsing IPv6 takes microseconds and clients return; IPv4 parses faster than a lookup.
const recentIpv6 = new RecentMap<IpAddress>(2_048);
const recentKeys = new RecentMap<string>(2_048);

/**
 * Strict: four decimal octets without leading zeros, or IPv6 (RFC 4291, section 2.2) without zone id, brackets, port or
 * surrounding space. Refuses octal, hexadecimal and short IPv4 forms.
 */
export function parseIp(text: string): IpAddress | undefined {
	if (text.length > LONGEST_IP) return undefined;
	if (!text.includes(":")) return parseIpv4(text);
	const known = recentIpv6.find(text);
	if (known !== undefined) return known;
	const parsed = parseIpv6Words(text);
	if (parsed === undefined) return undefined;
	const words = isMapped(parsed) ? parsed.slice(6) : parsed;
	const address = { text: wordsText(words), words };
	recentIpv6.set(text, address);
	return address;
}

/**
 * Parses an allowlist entry: an IP address, or a CIDR (RFC 4632; RFC 4291, section 2.3) whose host bits are zero.
 * `::ffff:10.0.0.0/104` is `10.0.0.0/8`; a mapped address with a prefix below 96 would extend beyond IPv4 and is
 * refused.
 */
export function parseCidr(text: string): Cidr | { readonly problem: Problem } {
	const slash = text.indexOf("/");
	const addressText = slash < 0 ? text : text.slice(0, slash);
	const address = parseIp(addressText);
	if (address === undefined) return { problem: problemOfAddress(addressText) };
	const bits = address.words.length * 16;
	if (slash < 0) return { text: address.text, words: address.words, prefixBits: bits };
	const prefixText = text.slice(slash + 1);
	// An entry written as IPv6 counts its prefix in 128 bits, even if it is an IPv4 address.
	const offset = bits === 32 && addressText.includes(":") ? MAPPED_BITS : 0;
	const prefixBits = PREFIX.test(prefixText) ? Number(prefixText) - offset : Number.NaN;
	if (!(prefixBits >= 0 && prefixBits <= bits)) {
		return { problem: problem("prefix_length", { min: offset, max: offset + bits }) };
	}
	const network = address.words.map((word, index) => word & wordMask(prefixBits, index));
	if (network.some((word, index) => word !== address.words[index])) {
		return { problem: problem("host_bits", { range: `${wordsText(network)}/${prefixBits}` }) };
	}
	return { text: `${address.text}/${prefixBits}`, words: network, prefixBits };
}

/** Like `parseCidr`, for constants and for text that was validated earlier. @throws Error for any other text. */
export function validCidr(text: string): Cidr {
	const cidr = parseCidr(text);
	if ("problem" in cidr) throw new Error(`${text} ${cidr.problem.message}`);
	return cidr;
}

/** The range of `prefixBits` (0 to 32 or 128) that contains the address. */
export function cidrAround(ip: IpAddress, prefixBits: number): Cidr {
	const words = ip.words.map((word, index) => word & wordMask(prefixBits, index));
	const isWhole = prefixBits === words.length * 16;
	return { text: `${wordsText(words)}${isWhole ? "" : `/${prefixBits}`}`, words, prefixBits };
}

/** An IPv6 range, including `::/0`, never contains an IPv4 address. */
export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
	if (cidr.words.length !== ip.words.length) return false;
	for (let index = 0, bits = cidr.prefixBits; bits > 0; index++, bits -= 16) {
		const difference = (cidr.words[index] ?? 0) ^ (ip.words[index] ?? 0);
		if ((difference & wordMask(cidr.prefixBits, index)) !== 0) return false;
	}
	return true;
}

/** False for an empty list: the caller decides whether that means "any" or "none". */
export function ipInList(list: readonly Cidr[], ip: IpAddress): boolean {
	return list.some((cidr) => cidrContains(cidr, ip));
}

/** Whether the address is a loopback address: `127.0.0.0/8` or `::1`. */
export function isThisMachine({ words }: IpAddress): boolean {
	if (words.length === 2) return (words[0] ?? 0) >> 8 === 127;
	return words.every((word, index) => word === (index === 7 ? 1 : 0));
}

/**
 * The key of a rate limit: an IPv4 address itself, or the /64 of an IPv6 address, since one household or machine has
 * that many addresses. Any other text is its own key.
 */
export function rateLimitKey(ipText: string): string {
	if (!ipText.includes(":")) return ipText;
	const known = recentKeys.find(ipText);
	if (known !== undefined) return known;
	const address = parseIp(ipText);
	if (address === undefined) return ipText;
	const key = address.words.length === 2 ? address.text : cidrAround(address, 64).text;
	recentKeys.set(ipText, key);
	return key;
}

function parseIpv4(text: string): IpAddress | undefined {
	const octets = ipv4Octets(text);
	if (octets === undefined) return undefined;
	const [a = 0, b = 0, c = 0, d = 0] = octets;
	return { text, words: [(a << 8) | b, (c << 8) | d] };
}

function ipv4Octets(text: string): number[] | undefined {
	const octets: number[] = [];
	let start = 0;
	let value = 0;
	for (let at = 0; at <= text.length; at++) {
		// Treat the end as a dot, so that the last octet ends like the others.
		const code = at === text.length ? 0x2e : text.charCodeAt(at);
		if (code === 0x2e) {
			const digits = at - start;
			if (digits === 0 || value > 255 || (digits > 1 && text.charCodeAt(start) === 0x30)) return undefined;
			octets.push(value);
			start = at + 1;
			value = 0;
		} else if (code >= 0x30 && code <= 0x39) value = value * 10 + code - 0x30;
		else return undefined;
	}
	return octets.length === 4 ? octets : undefined;
}

function parseIpv6Words(text: string): number[] | undefined {
	if (text.includes("%")) return undefined;
	// The library reads octets of the dotted end as octal, like C (010 is 8): pass it only hexadecimal.
	const tailAt = text.lastIndexOf(":") + 1;
	const tail = text.slice(tailAt);
	let hexadecimal = text;
	if (tail.includes(".")) {
		const words = parseIpv4(tail)?.words;
		if (words === undefined) return undefined;
		hexadecimal = text.slice(0, tailAt) + words.map((word) => word.toString(16)).join(":");
	}
	return ipaddr.IPv6.isValid(hexadecimal) ? ipaddr.IPv6.parse(hexadecimal).parts : undefined;
}

function isMapped(words: readonly number[]): boolean {
	return words[5] === 0xffff && words.every((word, index) => index > 4 || word === 0);
}

function wordsText(words: readonly number[]): string {
	if (words.length === 2) return words.map((word) => `${word >> 8}.${word & 0xff}`).join(".");
	return new ipaddr.IPv6([...words]).toRFC5952String();
}

/** The mask of word `index` for a prefix of `prefixBits`. */
function wordMask(prefixBits: number, index: number): number {
	const covered = Math.min(16, Math.max(0, prefixBits - index * 16));
	return (0xffff << (16 - covered)) & 0xffff;
}

function problemOfAddress(text: string): Problem {
	if (OCTET_WITH_ZERO.test(text) && text.includes(".")) return problem("leading_zero");
	return problem(text.includes("%") ? "zone_id" : "ip_or_range");
}
