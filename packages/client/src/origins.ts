// The origins that requests may be sent to.

/** @throws TypeError unless the URL is https, or http on this machine: others could read the request. */
export function originOf(url: string): string {
	// Text without a scheme becomes a path of the base, which is refused.
	const { origin } = new URL(url, "http:x");
	if (/^(https:|http:\/\/(localhost|127\.[\d.]+|\[::1])(:|$))/.test(origin)) return origin;
	throw new TypeError(`not https: ${url}`);
}

/** @throws TypeError that names the first empty value. */
export function requireAll(values: object): void {
	for (const [name, value] of Object.entries(values)) if (!value) throw new TypeError(`${name} is missing`);
}
