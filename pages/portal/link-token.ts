// The token of a mailed link: the URL fragment, which is not sent to servers.

/** Removes it from the URL immediately, so that neither the history nor a shared screen shows it. "" if there is none. */
export function takeLinkToken(): string {
	const token = location.hash.slice(1);
	if (token !== "") history.replaceState(null, "", location.pathname);
	// Pasting a complete link into the address bar of this page changes only the fragment.
	addEventListener("hashchange", () => location.reload());
	return token;
}
