// What the unsaved rules would change for recent requests: the last refusals, and a sample of allowed ones.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { useWords } from "../../words/words.ts";
import type { GateDraft, GateProps } from "./gate-props.ts";

const SHOWN_MAX = 20;

interface ReplayCardProps extends Pick<GateProps, "application"> {
	readonly draft: GateDraft | undefined;
}

interface Replayed {
	readonly draft: GateDraft;
	readonly found: Schemas["GateReplay"];
}

export function ReplayCard({ application: { id }, draft }: ReplayCardProps) {
	const t = useWords("console-gate");
	const [replayed, setReplayed] = useState<Replayed>();
	const replay = useAction(async () => {
		if (draft === undefined) return;
		const { data } = await call("POST /applications/{id}/gate/replay", { path: { id }, body: { draft } });
		setReplayed({ draft, found: data });
	});
	const result = useRef<HTMLDivElement>(null);
	useEffect(() => {
		// It may be below the edge of the column.
		if (replayed !== undefined) result.current?.scrollIntoView({ block: "nearest" });
	}, [replayed]);
	const isCurrent = JSON.stringify(replayed?.draft) === JSON.stringify(draft);
	return (
		<Card title={t.replay} description={draft === undefined ? t.replayNothing : t.replayText}>
			{draft !== undefined && (
				<>
					<div class="lk-row">
						<Button pending={replay.isPending} onClick={() => replay.run()}>
							{replayed === undefined || isCurrent ? t.replayIt : t.replayAgain}
						</Button>
					</div>
					<ErrorNotice error={replay.error} />
					<div role="status" class="lk-stack" ref={result}>
						{replayed !== undefined && (
							<>
								{!isCurrent && <p class="lk-muted">{t.replayStale}</p>}
								<Found found={replayed.found} />
							</>
						)}
					</div>
				</>
			)}
		</Card>
	);
}

function Found({ found }: Pick<Replayed, "found">) {
	const t = useWords("console-gate");
	const { refusals, sampled, same, now_refused: refused, now_allowed: allowed, changes } = found;
	if (refusals + sampled === 0) return <p class="lk-muted">{t.replayNone}</p>;
	const more = changes.length - SHOWN_MAX;
	return (
		<>
			<p>
				<strong>{t.replayCounts(same, refused, allowed)}</strong>
			</p>
			<p class="lk-muted">{t.replayOf(refusals, sampled)}</p>
			{changes.length > 0 && (
				<ul class="lk-replay">
					{changes.slice(0, SHOWN_MAX).map((change) => (
						<Change key={JSON.stringify(change)} change={change} />
					))}
				</ul>
			)}
			{more > 0 && <p class="lk-muted">{t.replayMore(more)}</p>}
		</>
	);
}

function Change({ change }: { readonly change: Schemas["GateReplayChange"] }) {
	const t = useWords("console-gate");
	const { method, path, caller, count, after } = change;
	const [kind = ""] = caller.split(":");
	return (
		<li>
			<code dir="ltr">{`${method} ${path}`}</code>
			<span class="lk-row">
				<Badge tone={after.allowed ? "warning" : "danger"}>
					{after.allowed ? t.nowAllowed : t.nowRefused}
				</Badge>
				<span class="lk-muted">
					{[
						count > 1 && `× ${count}`,
						t.callerKinds[kind as keyof typeof t.callerKinds],
						after.rule === null ? t.noRuleDecides : t.ruleDecides(after.rule + 1),
					]
						.filter(Boolean)
						.join(" · ")}
				</span>
			</span>
			{after.code !== null && <code>{after.code}</code>}
		</li>
	);
}
