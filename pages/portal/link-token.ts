// The token of a link from a mail: the part after "#", which no server sees.

/** Takes it out of the address at once, so that neither the history nor a shared screen holds it. "" without one. */
export function takeLinkToken(): string {
	const token = location.hash.slice(1);
	if (token !== "") history.replaceState(null, "", location.pathname);
	// A whole link in the address bar of this page changes the part after "#" only.
	addEventListener("hashchange", () => location.reload());
	return token;
}
