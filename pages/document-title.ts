// The window title: the screen, then the product name.

import { useEffect } from "preact/hooks";
import { brand } from "./ui/branding.ts";

/** `undefined` shows only the product name. */
export function useDocumentTitle(title: string | undefined): void {
	const product = brand.value.product_name;
	useEffect(() => {
		document.title = title === undefined ? product : `${title} · ${product}`;
	}, [title, product]);
}
