// The applications that the user can open, and those to which they can request access.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ApplicationLogo } from "../../ui/application-logo.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { useWords } from "../../words/words.ts";
import "./my-applications.css";
import { RequestDialog } from "./request-dialog.tsx";

type Requestable = Schemas["RequestableApplication"];

/** Tiles of one page of each; the rest is found by the search of a browser's bookmarks, not here. */
const SHOWN_MAX = 100;

interface Tile {
	readonly id: string;
	readonly name: string;
	readonly logo: string;
	/** `""`: there is nothing to open. */
	readonly url: string;
	readonly requestable: Requestable | undefined;
}

export function MyApplications() {
	const t = useWords("account").applications;
	const { data, error, isLoading, reload } = useQuery("my applications", loadTiles);
	const [asked, setAsked] = useState<Requestable>();
	if (data === undefined)
		return error === undefined ? null : <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data.length === 0) return null;
	return (
		<Card title={t.title}>
			<ul class="lk-tiles" aria-label={t.title}>
				{data.map(({ id, name, logo, url, requestable }) => (
					<li key={id} class="lk-tile">
						<div class="lk-tile__head">
							<ApplicationLogo url={logo} />
							<bdi>{name}</bdi>
						</div>
						<div class="lk-row">
							{url !== "" && (
								<Link href={url} variant="secondary" size="small">
									{t.open}
									<bdi class="lk-hidden"> {name}</bdi>
								</Link>
							)}
							{requestable?.pending_request_id === null && (
								<Button size="small" onClick={() => setAsked(requestable)}>
									{t.request}
									<bdi class="lk-hidden"> {name}</bdi>
								</Button>
							)}
							{requestable && requestable.pending_request_id !== null && (
								<Badge tone="warning">{t.requested}</Badge>
							)}
						</div>
					</li>
				))}
			</ul>
			{asked !== undefined && (
				<RequestDialog application={asked} onClose={() => setAsked(undefined)} onRequested={reload} />
			)}
		</Card>
	);
}

async function loadTiles(signal: AbortSignal): Promise<readonly Tile[]> {
	const query = { page_size: SHOWN_MAX };
	const [usable, requestable] = await Promise.all([
		call("GET /applications", { query: { ...query, usable: "true" }, signal }),
		call("GET /users/me/requestable", { query, signal }),
	]);
	const offered = new Map(requestable.data.map((one) => [one.app_id, one]));
	const tiles = usable.data.map(({ id, name, logo_url, homepage_url }) => {
		const found = offered.get(id);
		offered.delete(id);
		return { id, name, logo: logo_url, url: homepage_url, requestable: found };
	});
	const others = [...offered.values()].map((one) => {
		const { app_id: id, name, logo_url: logo } = one;
		return { id, name, logo, url: "", requestable: one };
	});
	const byName = (one: Tile, other: Tile) => one.name.localeCompare(other.name);
	return [...tiles.sort(byName), ...others];
}
