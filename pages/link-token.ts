// The token of a mailed link: the URL fragment, which is not sent to servers and does not appear in logs.

/** Empty if there is none. Removes it from the URL, so that neither the history nor a shared screen shows it. */
export function takeLinkToken(): string {
	const token = location.hash.slice(1);
	if (token !== "") history.replaceState(history.state, "", `${location.pathname}${location.search}`);
	// Pasting a complete link into the address bar of this page changes only the fragment.
	addEventListener("hashchange", () => location.reload());
	return token;
}
