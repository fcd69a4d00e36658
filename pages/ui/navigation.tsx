// The navigation of a shell: sections of links; the current one is marked.

import "./navigation.css";
import { Icon } from "./icon.tsx";
import type { IconShape } from "./icons.ts";
import { uiWords } from "./words.ts";

interface NavigationItem {
	readonly href: string;
	readonly label: string;
	readonly icon: IconShape;
	/** A count beside the label, and what it counts. */
	readonly note?: { readonly count: string; readonly text: string } | undefined;
}

export interface NavigationSection {
	readonly title?: string | undefined;
	readonly items: readonly NavigationItem[];
}

interface NavigationProps {
	readonly sections: readonly NavigationSection[];
	/** The current path. The item with the longest matching `href` is marked. */
	readonly current: string;
	readonly onFollow?: (() => void) | undefined;
}

export function Navigation({ sections, current, onFollow }: NavigationProps) {
	const marked = currentItem(sections, current);
	return (
		<nav class="lk-nav" aria-label={uiWords().navigation}>
			{sections.map(({ title, items }) => (
				<div class="lk-nav__section" key={title ?? items[0]?.href}>
					{title !== undefined && <h2 class="lk-nav__title">{title}</h2>}
					<ul class="lk-nav__list">
						{items.map((item) => (
							<li key={item.href}>
								<a
									class="lk-nav__link"
									href={item.href}
									aria-current={item === marked ? (item.href === current ? "page" : "true") : undefined}
									onClick={onFollow}
								>
									<Icon shape={item.icon} />
									<span class="lk-nav__label">{item.label}</span>
									{item.note !== undefined && (
										<span class="lk-nav__note">
											<span aria-hidden="true">{item.note.count}</span>
											<span class="lk-hidden">{item.note.text}</span>
										</span>
									)}
								</a>
							</li>
						))}
					</ul>
				</div>
			))}
		</nav>
	);
}

function currentItem(sections: readonly NavigationSection[], current: string): NavigationItem | undefined {
	return sections
		.flatMap(({ items }) => items)
		.filter(({ href }) => current === href || current.startsWith(`${href}/`))
		.sort((one, other) => other.href.length - one.href.length)[0];
}
