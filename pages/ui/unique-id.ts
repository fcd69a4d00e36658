// IDs that connect elements. Preact's `useId` repeats IDs in a second tree of the same document.

import { useState } from "preact/hooks";

let last = 0;

export function useUniqueId(): string {
	const [id] = useState(() => {
		last += 1;
		return `lk-${last}`;
	});
	return id;
}
