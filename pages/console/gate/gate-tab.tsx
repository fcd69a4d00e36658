// "Gate": the rules in front of an application, what they decide, and what a proxy needs to ask.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { plus, shield } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useWords } from "../../words/words.ts";
import { RefusalsCard } from "../refusals/refusals-card.tsx";
import { isAdmin } from "../roles.ts";
import { refusalsOf } from "../statistics/result-chart.tsx";
import { ResultsCard } from "../statistics/results-card.tsx";
import { useTab } from "../use-tab.ts";
import { ConnectGate } from "./connect-gate.tsx";
import "./gate.css";
import { GateKey, GateKeyDialog } from "./gate-key.tsx";
import type { GateDraft, GateProps, Tested } from "./gate-props.ts";
import { GateSettings } from "./gate-settings.tsx";
import { ReplayCard } from "./replay-card.tsx";
import { TestRequest } from "./test-request.tsx";

const PARTS = ["gate", "gate/connect", "gate/refusals"] as const;

interface GateTabProps extends Pick<GateProps, "application"> {
	/** After the gate was created. */
	readonly onCreated: () => void;
}

export function GateTab({ application, onCreated }: GateTabProps) {
	const t = useWords("console-gate");
	const { id } = application;
	const [isCreated, setCreated] = useState(false);
	const hasGate = isCreated || application.has_gate === true;
	const { data, error, isLoading, reload } = useCall(
		"GET /applications/{id}/gate",
		hasGate ? { path: { id } } : undefined,
	);
	const [keyPlain, setKeyPlain] = useState<string>();
	const [draft, setDraft] = useState<GateDraft>();
	const [tested, setTested] = useState<Tested>({});
	const [round, setRound] = useState(0);
	const [part, setPart] = useTab(PARTS, true);
	const isMissing = !hasGate || error?.code === "gate.not_found";
	if (keyPlain !== undefined)
		return (
			<GateKeyDialog
				keyPlain={keyPlain}
				onClose={() => {
					setKeyPlain(undefined);
					setCreated(true);
					reload();
					onCreated();
				}}
			/>
		);
	if (isMissing) return <NoGate application={application} onCreated={setKeyPlain} />;
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton lines={8} />;
	const gate = data.data;
	return (
		<Tabs
			label={t.parts}
			selected={part}
			onSelect={setPart}
			tabs={PARTS.map((key) => ({ key, label: t.partNames[key] }))}
		>
			{/* Stays, so that the other parts do not lose unsaved rules. */}
			<div class="lk-gate" hidden={part !== "gate"}>
				{isAdmin() ? (
					<GateSettings
						application={application}
						gate={gate}
						onSaved={reload}
						onDraft={setDraft}
						onRolesChanged={() => setRound((count) => count + 1)}
						tested={tested}
					/>
				) : (
					<GateRules rules={gate.rules} tested={tested} />
				)}
				<div class="lk-gate__test lk-stack">
					<TestRequest
						application={application}
						gate={gate}
						draft={draft}
						round={round}
						onTested={setTested}
					/>
					{isAdmin() && <ReplayCard application={application} draft={draft} />}
				</div>
			</div>
			{part === "gate/connect" && (
				<div class="lk-stack">
					<ConnectGate application={application} gate={gate} />
					<GateKey application={application} gate={gate} onChanged={reload} />
				</div>
			)}
			{part === "gate/refusals" && (
				<div class="lk-stack">
					<ResultsCard
						title={t.decisions}
						okLabel={t.passed}
						refusedLabel={t.decisionsRefused}
						queryKey={`GET /applications/${id}/gate/stats`}
						hrefOf={refusalsOf({ subject: "gate", application_id: id })}
						load={async (query, signal) =>
							(await call("GET /applications/{id}/gate/stats", { path: { id }, query, signal })).data.steps
						}
					/>
					<RefusalsCard subject="gate" id={id} />
				</div>
			)}
		</Tabs>
	);
}

interface NoGateProps extends Pick<GateProps, "application"> {
	readonly onCreated: (keyPlain: string) => void;
}

function NoGate({ application: { id }, onCreated }: NoGateProps) {
	const t = useWords("console-gate");
	const create = useAction(async () => {
		const { data } = await call("PUT /applications/{id}/gate", { path: { id }, body: { rules: [] } });
		if (data.gate_key !== undefined) onCreated(data.gate_key);
	});
	return (
		<EmptyState
			icon={shield}
			title={t.none}
			action={
				isAdmin() && (
					<Button variant="primary" icon={plus} pending={create.isPending} onClick={() => create.run()}>
						{t.create}
					</Button>
				)
			}
		>
			{t.noneText}
			<ErrorNotice error={create.error} />
		</EmptyState>
	);
}

function GateRules({ rules, tested }: Pick<Schemas["Gate"], "rules"> & { readonly tested: Tested }) {
	const t = useWords("console-gate");
	if (rules.length === 0)
		return (
			<Card title={t.rules} description={t.rulesText}>
				<p class="lk-muted">{t.noRules}</p>
			</Card>
		);
	return (
		<Card title={t.rules} description={t.rulesText} flush>
			<Table
				caption={t.rules}
				rows={rules.map((rule, index) => ({ ...rule, number: index + 1 }))}
				rowKey={({ number }) => String(number)}
				columns={[
					{
						key: "rule",
						header: t.rule,
						cell: ({ number }) => (
							<>
								{number} {tested.rule === number - 1 && <Badge tone="info">{t.decides}</Badge>}
							</>
						),
					},
					{
						key: "methods",
						header: t.methods,
						cell: ({ methods }) => (methods === undefined ? t.allMethods : <code>{methods.join(", ")}</code>),
					},
					{ key: "path", header: t.path, cell: ({ path }) => <code>{path}</code> },
					{ key: "needs", header: t.needs, cell: ({ needs }) => <code>{needs}</code> },
					{
						key: "flags",
						header: t.flags,
						cell: ({ mfa, test }) =>
							[mfa === true && t.mfa, test === true && t.test].filter(Boolean).join(", "),
					},
				]}
			/>
		</Card>
	);
}
