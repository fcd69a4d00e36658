// `/console`: what there is to do, the first steps of a new tenant, and recent activity.

import { useEffect } from "preact/hooks";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { useCounts } from "../waiting.ts";
import { Charts } from "./charts.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { ForYou } from "./for-you.tsx";
import { Numbers } from "./numbers.tsx";
import "./overview.css";
import { PeriodChoice } from "./period-choice.tsx";
import { useActivity } from "./use-activity.ts";
import { useTasks } from "./use-tasks.tsx";

export function Overview() {
	const t = useWords("console").overview;
	useScreenTitle(t.title);
	const counts = useCounts();
	useEffect(() => {
		// From before another screen changed something.
		if (counts.data !== undefined) counts.renew();
	}, []);
	const activity = useActivity();
	const tasks = useTasks(counts, activity?.refusedCalls);
	const steps = counts.data?.data.first_steps;
	return (
		<>
			<PageHeader title={t.title} actions={activity && <PeriodChoice {...activity} />} />
			<div class="lk-stack">
				{activity && <Numbers {...activity} waiting={tasks.waiting} />}
				{/* What appears later would move the charts. */}
				{tasks.isHeld ? (
					<Skeleton height="14rem" />
				) : (
					<>
						<div class="lk-overview__first">
							<ForYou tasks={tasks} />
							{steps && <FirstSteps steps={steps} />}
						</div>
						{activity && <Charts {...activity} />}
					</>
				)}
			</div>
		</>
	);
}
