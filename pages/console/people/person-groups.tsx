// The groups that a person is in.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { Card } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";

const SHOWN_MAX = 50;

export function PersonGroups({ user }: { readonly user: User }) {
	const t = useWords("console-people");
	const { data, error, reload } = useQuery(`GET /users/${user.id}/groups`, (signal) =>
		call("GET /users/{id}/groups", { path: { id: user.id }, query: { page_size: SHOWN_MAX }, signal }),
	);
	const more = data === undefined ? 0 : data.total - data.data.length;
	return (
		<Card title={t.groups}>
			{error !== undefined && <LoadError error={error} onRetry={reload} />}
			{data === undefined && error === undefined && <Skeleton lines={2} />}
			{data?.total === 0 && <span class="lk-muted">{t.noGroups}</span>}
			{data !== undefined && data.total > 0 && (
				<ul class="lk-person-groups">
					{data.data.map(({ group_id, name }) => (
						<li key={group_id}>
							<Link href={`/console/groups/${group_id}`}>
								<bdi>{name}</bdi>
							</Link>
						</li>
					))}
					{more > 0 && <li class="lk-muted">{t.andMore(more)}</li>}
				</ul>
			)}
		</Card>
	);
}
