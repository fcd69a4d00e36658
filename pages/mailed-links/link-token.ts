// The token of a mailed link: the URL fragment, which is not sent to servers and does not appear in logs.

/** Empty if there is none. Removes it from the URL and the history; opening another link in this tab starts again. */
export function takeLinkToken(): string {
	const token = location.hash.slice(1);
	if (token !== "") history.replaceState(history.state, "", `${location.pathname}${location.search}`);
	addEventListener("hashchange", () => location.reload());
	return token;
}
