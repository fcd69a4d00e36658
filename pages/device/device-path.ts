// The URL of `/oauth/device`: the code that the device included, and the tenant of its application.

/** The sign-in page, which returns here. */
export function signInPath(): string {
	const tenant = new URLSearchParams(location.search).get("tenant");
	const back = `${location.pathname}${location.search}`;
	return `/sign-in?${new URLSearchParams({ ...(tenant !== null && { tenant }), return_to: back })}`;
}

/** This page with another code in its URL. */
export function keptPath(code: string): string {
	const query = new URLSearchParams(location.search);
	query.set("user_code", code);
	return `${location.pathname}?${query}`;
}

/** As the device shows it. */
export function shownCode(typed: string): string {
	const code = typed
		.normalize("NFKC")
		.replace(/[\s\p{Pd}]/gu, "")
		.toUpperCase();
	return `${code.slice(0, 4)}-${code.slice(4)}`;
}
