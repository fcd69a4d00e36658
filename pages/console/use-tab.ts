// The selected tab of a screen, stored in the URL fragment so that links can open it.

import { useEffect, useState } from "preact/hooks";
import { beforeLeaving } from "./editing/before-leaving.ts";

export function useTab<Key extends string>(keys: readonly [Key, ...Key[]]): [Key, (key: Key) => void] {
	const read = (): Key => keys.find((key) => location.hash === `#${key}`) ?? keys[0];
	const [tab, setTab] = useState(read);
	useEffect(() => {
		const follow = () => setTab(read());
		addEventListener("hashchange", follow);
		return () => removeEventListener("hashchange", follow);
	}, []);
	const select = (key: Key): void => {
		// The query belongs to the list of the previous tab.
		history.replaceState(history.state, "", `${location.pathname}${key === keys[0] ? "" : `#${key}`}`);
		setTab(key);
	};
	return [tab, (key) => beforeLeaving(() => select(key))];
}
