// The selected tab of a screen, stored in the URL fragment so that links can open it.

import { useEffect, useState } from "preact/hooks";
import { beforeLeaving } from "./editing/before-leaving.ts";

/**
 * @param isInside for tabs inside the tab `gate`: their keys are `gate`, `gate/connect`, … They keep what the user has not
 * saved, so a selection does not ask.
 */
export function useTab<Key extends string>(
	keys: readonly [Key, ...Key[]],
	isInside = false,
): [Key, (key: Key) => void] {
	const named = (hash: string) => keys.find((key) => hash === `#${key}`);
	const read = () => named(location.hash) ?? named(location.hash.split("/", 1)[0] ?? "");
	const [tab, setTab] = useState<Key>(() => read() ?? keys[0]);
	useEffect(() => {
		const { pathname } = location;
		const follow = () => setTab(read() ?? keys[0]);
		// The router dispatches it, for a link that may name no tab.
		const followLink = () => location.pathname === pathname && setTab((before) => read() ?? before);
		addEventListener("hashchange", follow);
		addEventListener("pushState", followLink);
		return () => {
			removeEventListener("hashchange", follow);
			removeEventListener("pushState", followLink);
		};
	}, []);
	const select = (key: Key): void => {
		const isDefault = key === keys[0] && !isInside;
		// The query belongs to the list of the previous tab.
		history.replaceState(history.state, "", `${location.pathname}${isDefault ? "" : `#${key}`}`);
		setTab(key);
	};
	return [tab, (key) => (isInside ? select(key) : beforeLeaving(() => select(key)))];
}
