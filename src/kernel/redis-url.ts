// The parts of a Redis URL, which may name several hosts and so is none for `URL`.

export interface RedisUrlParts {
	readonly scheme: string;
	readonly kind: "server" | "sentinel" | "cluster";
	/** `""`, or with the `@` at the end. */
	readonly credentials: string;
	/** Each with its port, if it has one. */
	readonly hosts: readonly string[];
	/** From the first slash on; `""` without one. */
	readonly path: string;
}

const SCHEME = /^(rediss?)(?:\+(sentinel|cluster))?:\/\//;

/** Undefined for another scheme, and for a query, a fragment, or a second `@`. Validates nothing else. */
export function splitRedisUrl(text: string): RedisUrlParts | undefined {
	const [start, scheme, kind = "server"] = SCHEME.exec(text) ?? [];
	if (start === undefined || scheme === undefined || /[?#]/.test(text)) return undefined;
	const rest = text.slice(start.length);
	const slash = rest.indexOf("/");
	const [authority, path] = slash === -1 ? [rest, ""] : [rest.slice(0, slash), rest.slice(slash)];
	const at = authority.lastIndexOf("@");
	if (authority.indexOf("@") !== at) return undefined;
	return {
		scheme,
		kind: kind as RedisUrlParts["kind"],
		credentials: authority.slice(0, at + 1),
		hosts: authority.slice(at + 1).split(","),
		path,
	};
}
