// Describes a device by its User-Agent header, and its approximate network.

import { cidrAround, parseIp } from "./ip.ts";

/** The first match wins: most browsers also name several others. */
const PROGRAMS: readonly (readonly [pattern: RegExp, name: string])[] = [
	[/MicroMessenger\//, "WeChat"],
	[/DingTalk\//, "DingTalk"],
	[/(?:Lark|Feishu)\//, "Feishu"],
	[/Edg(?:e|A|iOS)?\//, "Edge"],
	[/(?:OPR|Opera|OPiOS)\//, "Opera"],
	[/SamsungBrowser\//, "Samsung Internet"],
	[/YaBrowser\//, "Yandex Browser"],
	[/Vivaldi\//, "Vivaldi"],
	[/(?:Firefox|FxiOS)\//, "Firefox"],
	[/(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, "Chrome"],
	[/Version\/\S+ (?:Mobile\/\S+ )?Safari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
	[/iPhone|iPod/, "iOS"],
	[/iPad/, "iPadOS"],
	[/Android/, "Android"],
	[/Windows/, "Windows"],
	[/CrOS/, "ChromeOS"],
	[/Macintosh|Mac OS X/, "macOS"],
	[/Linux|X11/, "Linux"],
];

/** Clients other than browsers start with their own name: `curl/8.5.0`, `okhttp/4.12.0`. */
const OWN_NAME = /^([A-Za-z][A-Za-z0-9._-]{0,39})(?=[/ ]|$)/;
const UNKNOWN = "Unknown device";
const NETWORK_BITS = { v4: 24, v6: 48 };

/**
 * `Firefox on Linux`, `curl`, `Unknown device`. Ignores versions, so that an update is not a new device. The client
 * controls the header: use the result only for display, never for a decision.
 */
export function describeDevice(userAgent: string): string {
	const { client, system } = readDevice(userAgent);
	if (client === null) return system ?? UNKNOWN;
	return system === null ? client : `${client} on ${system}`;
}

/** The parts of that description; null if unknown. */
export function readDevice(userAgent: string): {
	readonly client: string | null;
	readonly system: string | null;
} {
	return {
		client: find(PROGRAMS, userAgent) ?? ownName(userAgent) ?? null,
		system: find(SYSTEMS, userAgent) ?? null,
	};
}

/** The network of an IP address: IPv4 by /24, IPv6 by /48. Returns any other text unchanged. */
export function networkOf(ipText: string): string {
	const ip = parseIp(ipText);
	if (ip === undefined) return ipText;
	return cidrAround(ip, ip.words.length === 2 ? NETWORK_BITS.v4 : NETWORK_BITS.v6).text;
}

/** Unknown browsers start with `Mozilla` too. */
function ownName(userAgent: string): string | undefined {
	const name = OWN_NAME.exec(userAgent)?.[1];
	return name === "Mozilla" ? undefined : name;
}

function find(names: typeof PROGRAMS, userAgent: string): string | undefined {
	return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
