// The tasks of the overview, each with a link that starts it.

import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { success } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import type { Tasks } from "./use-tasks.tsx";

export function ForYou({ tasks: { all, queries } }: { readonly tasks: Tasks }) {
	const t = useWords("console").overview;
	// An error is no all-clear.
	const failed = queries.find(({ error }) => error !== undefined);
	const loadedAt = queries.flatMap((query) => query.loadedAt ?? []).sort()[0];
	const time = loadedAt === undefined ? "" : format.time(loadedAt);
	return (
		<Card title={t.forYou} flush={all.length > 0}>
			{failed?.error !== undefined && (
				<LoadError
					error={failed.error}
					pending={failed.isLoading}
					onRetry={() => {
						for (const { error, reload } of queries) if (error !== undefined) reload();
					}}
				/>
			)}
			{failed !== undefined && all.length > 0 && loadedAt !== undefined && (
				<p class="lk-overview__as-of">{t.asOf(time)}</p>
			)}
			{failed === undefined && all.length === 0 && (
				<span class="lk-row lk-muted">
					<Icon shape={success} />
					{t.allClear(time)}
				</span>
			)}
			{all.length > 0 && (
				<ul class="lk-overview__list">
					{all.map(({ icon, text, label, href, tone }) => (
						<li key={href} class="lk-overview__item">
							<span class={`lk-overview__icon lk-overview__icon--${tone ?? "normal"}`}>
								<Icon shape={icon} />
							</span>
							<span class="lk-overview__text">{text}</span>
							<Link variant="secondary" size="small" href={href}>
								{label}
								<span class="lk-hidden"> {text}</span>
							</Link>
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}
