// The links of the tenant at the foot of public pages, such as its privacy policy.

import { useBrand } from "./branding.ts";

export function FooterLinks() {
	const { footer_links = [] } = useBrand();
	return (
		<>
			{footer_links.map(({ label, url }) => (
				<a key={label} class="lk-link" href={url} target="_blank" rel="noopener noreferrer">
					<bdi>{label}</bdi>
				</a>
			))}
		</>
	);
}
