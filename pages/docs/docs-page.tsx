// `/docs`: the overview, a group, an endpoint or search results, depending on the URL.

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { errorOf } from "../api/error.ts";
import { useQuery } from "../api/query.ts";
import { useDocumentTitle } from "../document-title.ts";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { type Api, apiOf, type Group } from "./api.ts";
import { DocsFrame } from "./docs-frame.tsx";
import { loadGuides, NO_GUIDES } from "./load-guides.ts";
import type { OpenApi } from "./openapi.ts";
import { OperationPage } from "./operation-page.tsx";
import { Overview } from "./overview.tsx";
import { place, SEARCH_ANCHOR } from "./place.ts";
import { entriesOf, find } from "./search.ts";
import { SearchResults } from "./search-results.tsx";
import "./group-page.css";
import { ForeignNote, Method, Path } from "./prose.tsx";

/** Anchors of the overview, which is shown before the API description has loaded. */
const SECTIONS = ["", SEARCH_ANCHOR, "overview", "guides", "signing", "errors", "endpoints"];

export function DocsPage() {
	const t = useWords("docs");
	const api = useQuery("openapi", loadApi);
	const { anchor, query } = place.value;
	const isSearching = query.trim() !== "";
	const operation = api.data?.operations.get(anchor);
	// The search covers the guides, which also explain the error codes.
	const needsGuides = api.data !== undefined && (isSearching || operation !== undefined);
	const guides = useQuery(needsGuides ? "guides" : undefined, loadGuides);
	const entries = useMemo(
		() => (api.data === undefined || !isSearching ? [] : entriesOf(api.data, guides.data?.entries ?? [])),
		[api.data, guides.data, isSearching],
	);
	const hits = useMemo(() => find(entries, query), [entries, query]);
	const group = api.data?.groups.find(({ id }) => id === anchor);
	useDocumentTitle(isSearching ? t.title : (operation?.summary ?? group?.name ?? t.title));
	useArrival(api.data, isSearching);
	const isOverview = SECTIONS.includes(anchor) || (operation === undefined && group === undefined);
	const content = () => {
		if (api.error !== undefined && api.data === undefined)
			return <LoadError error={api.error} onRetry={api.reload} pending={api.isLoading} />;
		if (api.data === undefined && (isSearching || !SECTIONS.includes(anchor))) return <Skeleton lines={8} />;
		// Hits in the guides would push down those that are already shown.
		if (isSearching && guides.data === undefined && guides.error === undefined) return <Skeleton lines={8} />;
		if (isSearching) return <SearchResults hits={hits} query={query} />;
		if (isOverview || api.data === undefined) return <Overview api={api.data} />;
		if (operation !== undefined)
			return (
				<OperationPage
					key={operation.id}
					api={api.data}
					operation={operation}
					guides={guides.data ?? NO_GUIDES}
				/>
			);
		return group === undefined ? null : <GroupPage group={group} />;
	};
	return (
		<DocsFrame api={api.data} operation={isSearching ? undefined : operation} firstHit={hits[0]?.href}>
			{content()}
		</DocsFrame>
	);
}

/** After a link inside the page: scrolls to the section in the URL, or to the title. */
function useArrival(api: Api | undefined, isSearching: boolean): void {
	const { anchor } = place.value;
	const isFirst = useRef(true);
	useLayoutEffect(() => {
		if (isSearching || (api === undefined && !SECTIONS.includes(anchor))) return;
		const section = anchor === "" ? null : document.getElementById(anchor);
		if (section !== null) section.scrollIntoView();
		else if (!isFirst.current) {
			scrollTo(0, 0);
			document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
		}
	}, [anchor, isSearching, api === undefined]);
	useEffect(() => {
		if (api !== undefined) isFirst.current = false;
	}, [api]);
}

/** @throws ApiError */
async function loadApi(signal: AbortSignal): Promise<Api> {
	// The browser caches and revalidates it.
	const response = await fetch("/openapi.json", {
		credentials: "omit",
		headers: { accept: "application/json" },
		signal,
	});
	if (!response.ok) throw await errorOf(response);
	const spec: OpenApi = await response.json();
	await nextTask();
	const api = apiOf(spec);
	await nextTask();
	return api;
}

/** Splits work of a promise chain, which is one task otherwise: input waits for it on a slow phone. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

/** A group: what it is for, and its endpoints. */
function GroupPage({ group }: { readonly group: Group }) {
	const t = useWords("docs");
	const { name, description, guide, operations } = group;
	return (
		<div class="docs-group">
			<PageHeader
				title={<span lang="en">{name}</span>}
				description={
					<>
						<span lang="en">{description}</span>
						<ForeignNote />
					</>
				}
				actions={
					guide === undefined ? undefined : (
						<Link href={guide} variant="secondary">
							{t.guide}
						</Link>
					)
				}
			/>
			<ul class="docs-list" lang="en">
				{operations.map(({ id, method, path, summary }) => (
					<li key={id} class="docs-list-row">
						<Method method={method} />
						<div>
							<a href={`#${id}`}>{summary}</a>
							<div class="docs-list-path lk-muted">
								<Path path={path} />
							</div>
						</div>
					</li>
				))}
			</ul>
		</div>
	);
}
