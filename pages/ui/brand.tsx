// The mark and the name of the product.

import "./brand.css";
import { brand } from "./branding.ts";

export function Brand({ href }: { href?: string | undefined }) {
	const content = (
		<>
			<svg class="lk-brand__mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
				<rect width="32" height="32" rx="7" />
				<circle cx="11" cy="16" r="4.6" />
				<path d="M15.6 16H26v4.5M21.4 16v3.4" />
			</svg>
			<span class="lk-brand__name">{brand.value.product_name}</span>
		</>
	);
	if (href === undefined) return <div class="lk-brand">{content}</div>;
	return (
		<a class="lk-brand" href={href}>
			{content}
		</a>
	);
}
