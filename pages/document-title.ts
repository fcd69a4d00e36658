// The title of the window: what is shown, then the name of the product.

import { useEffect } from "preact/hooks";
import { brand } from "./ui/branding.ts";

/** `undefined` shows the name of the product alone. */
export function useDocumentTitle(title: string | undefined): void {
	const product = brand.value.product_name;
	useEffect(() => {
		document.title = title === undefined ? product : `${title} · ${product}`;
	}, [title, product]);
}
