// Opens a dialog that the fragment of the URL asks for, such as `#add` or `#access/give`.

import { useEffect } from "preact/hooks";

/**
 * Calls `open` when the URL has this fragment, now or after a navigation within the screen, and then shortens it, so that a
 * reload does not ask again: the part before the `/` names a tab. `undefined` asks for nothing.
 */
export function useAskedInUrl(hash: string | undefined, open: () => void): void {
	useEffect(() => {
		if (hash === undefined) return;
		const look = () => {
			if (location.hash !== hash) return;
			const rest = hash.includes("/") ? hash.slice(0, hash.indexOf("/")) : "";
			history.replaceState(history.state, "", `${location.pathname}${location.search}${rest}`);
			open();
		};
		look();
		// The router dispatches it.
		addEventListener("pushState", look);
		return () => removeEventListener("pushState", look);
	}, [hash]);
}
