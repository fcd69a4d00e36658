// Detects when an element comes near the window, so that content below is loaded only if the user scrolls to it.

import { type MutableRef, useEffect, useRef, useState } from "preact/hooks";

/** False until the element is within 200 pixels of the window; then permanently true. */
export function useSeen<Element extends HTMLElement>(): [place: MutableRef<Element | null>, isSeen: boolean] {
	const place = useRef<Element>(null);
	const [isSeen, setSeen] = useState(false);
	useEffect(() => {
		if (place.current === null) return;
		const observer = new IntersectionObserver(
			(entries) => {
				if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
				setSeen(true);
				observer.disconnect();
			},
			{ rootMargin: "200px" },
		);
		observer.observe(place.current);
		return () => observer.disconnect();
	}, []);
	return [place, isSeen];
}
