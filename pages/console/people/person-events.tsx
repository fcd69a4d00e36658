// Events about a person and events by the person, newest first.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { Card } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { useSeen } from "../../ui/seen.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { isolateRuns } from "../../words/isolate.ts";
import { useWords } from "../../words/words.ts";
import { Actor } from "../audit/actor.tsx";

export function PersonEvents({ user, round }: { readonly user: User; readonly round: number }) {
	const t = useWords("console-people");
	const { summaryOf } = useWords("audit-summaries");
	const [place, isSeen] = useSeen<HTMLDivElement>();
	const { data, error, reload } = useQuery(
		isSeen ? `GET /users/${user.id} events ${round}` : undefined,
		async (signal) => {
			const query = { include: ["recent_events" as const] };
			const response = await call("GET /users/{id}", { path: { id: user.id }, query, signal });
			return response.data.recent_events ?? [];
		},
	);
	const filter = encodeURIComponent(`user:${user.id}`);
	return (
		<div ref={place}>
			<Card
				title={t.events}
				footer={
					<>
						<Link href={`/console/audit?target=${filter}`}>{t.eventsAbout}</Link>
						<Link href={`/console/audit?actor=${filter}`}>{t.eventsBy}</Link>
					</>
				}
			>
				{error !== undefined && <LoadError error={error} onRetry={reload} />}
				{data === undefined && error === undefined && <Skeleton lines={5} />}
				{data?.length === 0 && <span class="lk-muted">{t.noEvents}</span>}
				{data !== undefined && data.length > 0 && (
					<ol class="lk-person-events">
						{data.map((event) => (
							<li key={event.id}>
								<span class="lk-person-events__text">
									<Actor of={event.actor} name={event.actor_name} />
									<bdi>{isolateRuns(summaryOf(event))}</bdi>
								</span>
								<span class="lk-muted">
									<Time at={event.at} />
								</span>
							</li>
						))}
					</ol>
				)}
			</Card>
		</div>
	);
}
