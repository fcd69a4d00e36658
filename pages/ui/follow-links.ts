// Turns clicks on plain links of a document into navigation without a reload.

/**
 * `navigate` gets the path, query and hash of each unmodified click on a link whose path is `base` or below it.
 * Links with `target` or `download` are left to the browser. Returns a function that removes the listener.
 */
export function followLinks(base: string, navigate: (path: string) => void): () => void {
	const onClick = (event: MouseEvent) => {
		if (event.defaultPrevented || event.button !== 0) return;
		if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
		const link = (event.target as Element).closest?.("a");
		if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return;
		const { origin, pathname, search, hash } = new URL(link.href);
		if (origin !== location.origin || !(pathname === base || pathname.startsWith(`${base}/`))) return;
		if (hash !== "" && pathname === location.pathname && search === location.search) return;
		event.preventDefault();
		navigate(pathname + search + hash);
	};
	document.addEventListener("click", onClick);
	return () => document.removeEventListener("click", onClick);
}
