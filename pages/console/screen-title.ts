// The window title and the breadcrumbs of the current screen.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useDocumentTitle } from "../document-title.ts";
import type { Crumb } from "../ui/breadcrumbs.tsx";

export const crumbs = signal<readonly Crumb[] | undefined>(undefined);

/** `trail` leads from the list to the record; screens in the navigation need none. */
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
