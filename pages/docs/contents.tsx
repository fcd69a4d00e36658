// The contents at the side: guides, and the endpoints by group.

import { useLayoutEffect, useRef } from "preact/hooks";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import type { Api, Group, Operation } from "./api.ts";
import "./contents.css";
import { GUIDES } from "./guides.ts";
import { place } from "./place.ts";
import { GuideLink } from "./prose.tsx";

interface ContentsProps {
	readonly api: Api | undefined;
	/** The endpoint that is shown. */
	readonly operation: Operation | undefined;
}

export function Contents({ api, operation }: ContentsProps) {
	const t = useWords("docs");
	const { anchor, query } = place.value;
	const isOverview = (anchor === "" || anchor === "overview") && query === "";
	return (
		<nav class="docs-contents" aria-label={t.contents}>
			<ul>
				<li>
					<a class="docs-entry" href="#overview" aria-current={isOverview ? "page" : undefined}>
						{t.overview}
					</a>
				</li>
			</ul>
			<h2 class="docs-contents-title">{t.guides}</h2>
			<ul>
				{GUIDES.map((name) => (
					<li key={name}>
						<GuideLink name={name} class="docs-entry" />
					</li>
				))}
				<li>
					<a class="docs-entry" href="/openapi.json">
						{t.openApi}
					</a>
				</li>
			</ul>
			<h2 class="docs-contents-title">{t.endpoints}</h2>
			{api === undefined ? (
				<Skeleton lines={12} />
			) : (
				api.groups.map((group) => <GroupEntry key={group.id} group={group} current={operation} />)
			)}
		</nav>
	);
}

function GroupEntry({ group, current }: { readonly group: Group; readonly current: Operation | undefined }) {
	const t = useWords("docs");
	const { anchor } = place.value;
	const isCurrent = anchor === group.id || current?.group === group.name;
	const element = useRef<HTMLDetailsElement>(null);
	// A group that the user collapsed stays collapsed until another of its endpoints opens.
	useLayoutEffect(() => {
		if (!isCurrent || element.current === null) return;
		element.current.open = true;
		showIn(element.current.closest(".docs-side"), element.current.querySelector("[aria-current]"));
	}, [isCurrent, anchor]);
	return (
		<details ref={element} class="docs-group-entry">
			<summary lang="en">{group.name}</summary>
			<ul>
				<li>
					<a class="docs-entry" href={`#${group.id}`} aria-current={anchor === group.id ? "page" : undefined}>
						{t.count(group.operations.length)}
					</a>
				</li>
				{group.operations.map(({ id, method, summary }) => (
					<li key={id}>
						<a class="docs-entry" href={`#${id}`} aria-current={id === current?.id ? "page" : undefined}>
							<span lang="en">{summary}</span>
							<span class={`docs-entry-method docs-entry-method--${method.toLowerCase()}`}>{method}</span>
						</a>
					</li>
				))}
			</ul>
		</details>
	);
}

/** Scrolls only the contents; `scrollIntoView` would also scroll the page. */
function showIn(side: Element | null, entry: Element | null): void {
	if (side === null || entry === null) return;
	const space = side.getBoundingClientRect();
	const { top, bottom } = entry.getBoundingClientRect();
	if (top < space.top || bottom > space.bottom) side.scrollTop += top - space.top - space.height / 3;
}
