// The events of a page by day, each a line that expands.

import type { Schemas } from "../../api/routes.ts";
import { Icon } from "../../ui/icon.tsx";
import { chevronForward } from "../../ui/icons.ts";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { isolateRuns } from "../../words/isolate.ts";
import { useWords } from "../../words/words.ts";
import { Actor } from "./actor.tsx";
import { EventDetails } from "./event-details.tsx";

type Event = Schemas["AuditEvent"];

interface AuditEventsProps {
	readonly events: readonly Event[];
	readonly isLoading: boolean;
	/** Shows the events with this value of a filter, and no other filter. */
	readonly onOnly: (name: string, value: string) => void;
}

export function AuditEvents({ events, isLoading, onOnly }: AuditEventsProps) {
	const days = Map.groupBy(events, ({ at }) => format.date(at));
	return (
		<div class="lk-events" aria-busy={isLoading ? "true" : undefined}>
			{[...days].map(([day, ofDay]) => (
				<section key={day}>
					<h2 class="lk-events__day">{day}</h2>
					<div class="lk-events__list">
						{ofDay.map((event) => (
							<Line key={event.id} event={event} onOnly={onOnly} />
						))}
					</div>
				</section>
			))}
		</div>
	);
}

function Line({ event, onOnly }: { readonly event: Event } & Pick<AuditEventsProps, "onOnly">) {
	const t = useWords("console-audit");
	const { summaryOf } = useWords("audit-summaries");
	const label = t.actions[event.action as keyof typeof t.actions] ?? event.action;
	return (
		<details class="lk-events__event">
			<summary>
				<Icon shape={chevronForward} mirrored />
				<span class="lk-events__time">
					<Time at={event.at} format="time" />
				</span>
				<Actor of={event.actor} name={event.actor_name} />
				<span class="lk-events__text">
					<bdi>{isolateRuns(summaryOf(event))}</bdi>
				</span>
			</summary>
			<EventDetails event={event} label={label} onOnly={onOnly} />
		</details>
	);
}
