// Parses names and addresses: a host to listen on, a mailbox, a username, trusted proxies.

import { isIP } from "node:net";
import { parseEmailAddress } from "../kernel/email-address.ts";
import type { Cidr } from "../kernel/ip.ts";
import { parseCidr } from "../kernel/ip.ts";
import type { Parsed } from "./setting.ts";

export interface Mailbox {
	/** Display name, or `""`. */
	readonly name: string;
	/** ASCII, at most 254 characters, case preserved. */
	readonly address: string;
}

const HOST_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/;
const WITH_NAME = /^(?:"([^"<>]*)"|([^"<>,;]*?)) ?<([^<>]*)>$/;

function isHostName(text: string): boolean {
	const labels = text.split(".");
	const last = labels.at(-1) ?? "";
	// A name that ends in a number is a mistyped IPv4 address (`127.0.0.256`).
	return text.length <= 253 && labels.every((label) => HOST_LABEL.test(label)) && !/^[0-9]+$/.test(last);
}

/** An IP address or name of this machine to listen on; IPv6 without brackets. */
export function parseHost(text: string): Parsed<string> {
	if (isIP(text) !== 0 || isHostName(text)) return { value: text };
	return { mustBe: "an IP address (IPv6 without brackets) or a host name, without port or scheme" };
}

/** One email address in lower case; the domain needs no dot (`admin@localhost`). */
export function parseEmail(text: string): Parsed<string> {
	const value = text === text.trim() ? parseEmailAddress(text) : undefined;
	if (value !== undefined) return { value };
	return { mustBe: "one ASCII email address of at most 254 characters" };
}

/** `address`, `<address>`, `Name <address>` or `"Name, with comma" <address>`; one address only (RFC 5322, 3.4). */
export function parseMailbox(text: string): Parsed<Mailbox> {
	const named = WITH_NAME.exec(text);
	const name = (named?.[1] ?? named?.[2] ?? "").trim();
	const typed = named?.[3] ?? text;
	const parsed = typed === typed.trim() ? parseEmailAddress(typed) : undefined;
	const address = parsed === typed.toLowerCase() ? typed : parsed;
	if (address !== undefined) return { value: { name, address } };
	return { mustBe: "one ASCII email address, or a name and one address: Name <name@example.com>" };
}

/** 3 to 64 characters, as for every user. */
export function parseUsername(text: string): Parsed<string> {
	if (USERNAME.test(text)) return { value: text };
	return { mustBe: "3 to 64 of the characters A-Z a-z 0-9 . _ -, the first a letter or digit" };
}

/** A comma-separated list of IP addresses and CIDR ranges; spaces around a comma are allowed. */
export function parseCidrList(text: string): Parsed<readonly Cidr[]> {
	const mustBe = "a comma-separated list of IP addresses and CIDR ranges";
	const list: Cidr[] = [];
	for (const item of text.split(",")) {
		const cidr = parseCidr(item.trim());
		if ("problem" in cidr)
			return { mustBe: `${mustBe}, but ${JSON.stringify(item.trim())} ${cidr.problem.message}` };
		list.push(cidr);
	}
	return { value: list };
}

/** Like `parseCidrList`, without `0.0.0.0/0` and `::/0`. */
export function parseProxyList(text: string): Parsed<readonly Cidr[]> {
	const parsed = parseCidrList(text);
	if ("mustBe" in parsed) return parsed;
	const everyone = parsed.value.find(({ prefixBits }) => prefixBits === 0);
	if (everyone === undefined) return parsed;
	return {
		mustBe: `a list of your proxies, but ${everyone.text} contains every client, and each could claim any IP address and HTTPS`,
	};
}
