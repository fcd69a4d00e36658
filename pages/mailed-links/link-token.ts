// The token of a mailed link: the part of the address after `#`, which no server and no log sees.

/** Empty without one. It leaves the address and the history; another link opened in this tab begins anew. */
export function takeLinkToken(): string {
	const token = location.hash.slice(1);
	if (token !== "") history.replaceState(history.state, "", `${location.pathname}${location.search}`);
	addEventListener("hashchange", () => location.reload());
	return token;
}
