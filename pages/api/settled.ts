// A debounced text, for searches.

import { useEffect, useState } from "preact/hooks";

const TYPING_MS = 300;

export function useSettled(text: string): string {
	const [settled, setSettled] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(text.trim()), TYPING_MS);
		return () => clearTimeout(timer);
	}, [text]);
	return settled;
}
