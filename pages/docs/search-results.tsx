// Search results: endpoints, error codes with their meaning, sections of guides.

import { EmptyState } from "../ui/empty-state.tsx";
import { search as searchShape } from "../ui/icons.ts";
import { useWords } from "../words/words.ts";
import "./group-page.css";
import { search } from "./place.ts";
import { Inline, Method, Path } from "./prose.tsx";
import { HITS_MAX, type Hit } from "./search.ts";

interface SearchResultsProps {
	/** The best first. */
	readonly hits: readonly Hit[];
	readonly query: string;
}

export function SearchResults({ hits, query }: SearchResultsProps) {
	const t = useWords("docs");
	return (
		<div class="docs-group lk-stack">
			<h1 class="lk-hidden">{t.search}</h1>
			<p class="docs-note" role="status">
				<bdi>{t.results(hits.length, query.trim())}</bdi>
			</p>
			{hits.length === 0 ? (
				<EmptyState icon={searchShape} title={t.noResults}>
					{t.noResultsText}
				</EmptyState>
			) : (
				<ol class="docs-list" onKeyDown={moveBetweenHits}>
					{hits.slice(0, HITS_MAX).map((hit) => (
						<HitRow key={hit.href} hit={hit} />
					))}
				</ol>
			)}
			{hits.length > HITS_MAX && <p class="docs-note">{t.moreResults(hits.length - HITS_MAX)}</p>}
		</div>
	);
}

function HitRow({ hit }: { readonly hit: Hit }) {
	const t = useWords("docs");
	const { operation, href, title, meaning, found } = hit;
	// If the URL already points there, only the search ends.
	const onClick = () => (href === location.hash ? search("") : undefined);
	return (
		<li class="docs-list-row">
			{operation === undefined ? (
				<span class="docs-list-kind">{t.guide}</span>
			) : (
				<Method method={operation.method} />
			)}
			<div>
				<a href={href} data-hit onClick={onClick}>
					{meaning === undefined ? title : <code>{title}</code>}
				</a>
				{operation !== undefined && (
					<div class="docs-list-path lk-muted">
						<Path path={operation.path} />
					</div>
				)}
				{meaning !== undefined && (
					<div class="docs-list-path lk-muted">
						<Inline text={meaning} />
					</div>
				)}
				{found.length > 0 && (
					<div class="docs-note">
						{t.contains}{" "}
						{found.map((term) => (
							<>
								<code>{term}</code>{" "}
							</>
						))}
					</div>
				)}
			</div>
		</li>
	);
}

/** The arrow keys move through the hits. */
function moveBetweenHits(event: KeyboardEvent): void {
	const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return;
	const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-hit]")];
	const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
	if (next === undefined) return;
	event.preventDefault();
	next.focus();
}
