// The events of a page by day, each a line that expands.

import type { ComponentChildren } from "preact";
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
	readonly onRestored: () => void;
}

type LineProps = Pick<AuditEventsProps, "onOnly" | "onRestored">;

/** Events with the same sentence in a row that are shown as one line. */
const RUN_MIN = 3;

export function AuditEvents({ events, isLoading, ...line }: AuditEventsProps) {
	const { summaryOf } = useWords("audit-summaries");
	const days = Map.groupBy(events, ({ at }) => format.date(at));
	return (
		<div class="lk-events" aria-busy={isLoading ? "true" : undefined}>
			{[...days].map(([day, ofDay]) => (
				<section key={day}>
					<h2 class="lk-events__day">{day}</h2>
					<div class="lk-events__list">
						{runsOf(ofDay, summaryOf).flatMap((run) =>
							run.length < RUN_MIN ? (
								run.map((event) => <Line key={event.id} event={event} {...line} />)
							) : (
								<Run key={run.at(-1)?.id} events={run} {...line} />
							),
						)}
					</div>
				</section>
			))}
		</div>
	);
}

/** Adjacent events of the same actor with the same sentence. */
function runsOf(events: readonly Event[], summaryOf: (event: Event) => string): Event[][] {
	const runs: Event[][] = [];
	for (const event of events) {
		const run = runs.at(-1);
		const before = run?.[0];
		const isSame = before?.actor === event.actor && summaryOf(before) === summaryOf(event);
		if (run !== undefined && isSame) run.push(event);
		else runs.push([event]);
	}
	return runs;
}

function Run({ events, ...line }: { readonly events: readonly Event[] } & LineProps) {
	const t = useWords("console-audit");
	const [newest] = events as [Event];
	return (
		<details class="lk-events__event lk-events__run">
			<Summary event={newest}>
				<span class="lk-events__count">
					<span aria-hidden="true">× {format.number(events.length)}</span>
					<span class="lk-hidden">{t.times(events.length)}</span>
				</span>
			</Summary>
			<div class="lk-events__list">
				{events.map((event) => (
					<Line key={event.id} event={event} {...line} />
				))}
			</div>
		</details>
	);
}

function Line({ event, ...line }: { readonly event: Event } & LineProps) {
	const t = useWords("console-audit");
	const label = t.actions[event.action as keyof typeof t.actions] ?? event.action;
	return (
		<details class="lk-events__event">
			<Summary event={event} />
			<EventDetails event={event} label={label} {...line} />
		</details>
	);
}

function Summary({ event, children }: { readonly event: Event; readonly children?: ComponentChildren }) {
	const { summaryOf } = useWords("audit-summaries");
	return (
		<summary>
			<Icon shape={chevronForward} mirrored />
			<span class="lk-events__time">
				<Time at={event.at} format="time" />
			</span>
			<Actor of={event.actor} name={event.actor_name} />
			<span class="lk-events__text">
				<bdi>{isolateRuns(summaryOf(event))}</bdi>
				{children}
			</span>
		</summary>
	);
}
