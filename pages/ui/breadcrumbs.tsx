// The path from the section to the current page.

import "./breadcrumbs.css";
import { Icon } from "./icon.tsx";
import { chevronForward } from "./icons.ts";
import { uiWords } from "./words.ts";

export interface Crumb {
	readonly label: string;
	/** Omitted for the current page. */
	readonly href?: string | undefined;
}

export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
	return (
		<nav class="lk-crumbs" aria-label={uiWords().breadcrumb}>
			<ol>
				{crumbs.map(({ label, href }) => (
					<li key={href ?? label}>
						{href === undefined ? (
							<bdi class="lk-one-line" aria-current="page">
								{label}
							</bdi>
						) : (
							<>
								<a href={href}>
									<bdi class="lk-one-line">{label}</bdi>
								</a>
								<Icon shape={chevronForward} mirrored />
							</>
						)}
					</li>
				))}
			</ol>
		</nav>
	);
}
