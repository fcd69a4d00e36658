// The logo of the tenant, or the mark and the name of the product.

import "./brand.css";
import { uploadedImage, useBrand } from "./branding.ts";

export function Brand({ href }: { href?: string | undefined }) {
	const { product_name, logo_url, logo_dark_url } = useBrand();
	const dark = uploadedImage(logo_dark_url);
	const light = uploadedImage(logo_url) ?? dark;
	const content =
		light === undefined ? (
			<>
				<svg class="lk-brand__mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
					<rect width="32" height="32" rx="7" />
					<circle cx="11" cy="16" r="4.6" />
					<path d="M15.6 16H26v4.5M21.4 16v3.4" />
				</svg>
				<span class="lk-one-line">{product_name}</span>
			</>
		) : (
			<>
				<img class={dark && "lk-brand__light"} src={light} alt={product_name} />
				{dark && <img class="lk-brand__dark" src={dark} alt={product_name} />}
			</>
		);
	if (href === undefined) return <div class="lk-brand">{content}</div>;
	return (
		<a class="lk-brand" href={href}>
			{content}
		</a>
	);
}
