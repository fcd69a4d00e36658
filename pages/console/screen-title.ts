// What the frame shows about the screen in it: the title of the window, and the way to the screen.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useDocumentTitle } from "../document-title.ts";
import type { Crumb } from "../ui/breadcrumbs.tsx";

export const crumbs = signal<readonly Crumb[] | undefined>(undefined);

/** `trail` leads from the list to the thing shown; a screen of the navigation needs none. */
export function useScreenTitle(title: string, trail?: readonly Crumb[]): void {
	useDocumentTitle(title);
	const key = JSON.stringify(trail);
	useEffect(() => {
		crumbs.value = trail;
		return () => {
			crumbs.value = undefined;
		};
	}, [key]);
}
