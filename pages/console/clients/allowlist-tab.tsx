// The allowlist of a client, and which recent calls a changed list would refuse.

import { call } from "../../api/client.ts";
import { useAction, useQuery } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { Form } from "../../ui/form.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { useWords } from "../../words/words.ts";
import { AllowlistField } from "../client-settings/allowlist-field.tsx";
import { entriesOf } from "../client-settings/client-settings.ts";
import { SaveBar } from "../editing/save-bar.tsx";
import { useEdits } from "../editing/use-edits.ts";
import type { ClientChangeProps } from "./client-record.ts";
import { knownCalls } from "./known-calls.ts";
import { RecentCalls } from "./recent-calls.tsx";

export function AllowlistTab({ client, onChange }: ClientChangeProps) {
	const t = useWords("console-partners").clients;
	const id = useUniqueId();
	const { values, set, changes, isChanged, discard, saved } = useEdits({
		ip_allowlist: client.ip_allowlist.join("\n"),
		ip_allowlist_mode: client.ip_allowlist_mode,
	});
	const { ip_allowlist: list, ip_allowlist_mode: mode } = values;
	const setList = (list: string) => set({ ip_allowlist: list });
	const path = { id: client.id };
	const known = useQuery(`calls ${client.id}`, async (signal) => {
		const [report, refused] = await Promise.all([
			call("GET /api-clients/{id}/allowlist-report", { path, signal }),
			call("GET /refusals", { query: { api_client_id: client.id, page_size: 100 }, signal }),
		]);
		return { report: report.data, refused: refused.data };
	});
	const save = useAction(async () => {
		const { ip_allowlist, ...others } = changes;
		const body = { ...others, ...(ip_allowlist !== undefined && { ip_allowlist: entriesOf(ip_allowlist) }) };
		await call("PATCH /api-clients/{id}", { path, body });
		saved(values);
		announce(t.saved);
		onChange();
	});
	const add = (entry: string) => setList([...entriesOf(list), entry].join("\n"));
	return (
		<div class="lk-stack">
			<div class="lk-editing">
				<Card title={t.allowlist} description={t.allowlistText}>
					<Form id={id} action={save} onSubmit={() => (isChanged ? save.run() : undefined)}>
						<AllowlistField label={t.entries} value={list} onValue={setList} />
						<RadioGroup
							name="ip_allowlist_mode"
							label={t.mode}
							value={mode}
							onValue={(mode) => set({ ip_allowlist_mode: mode })}
							options={(["enforce", "report"] as const).map((value) => ({
								value,
								label: t.modes[value],
								hint: t.modeHints[value],
							}))}
						/>
					</Form>
				</Card>
				<SaveBar form={id} isShown={isChanged} action={save} onDiscard={discard} />
			</div>
			<Card title={t.recent} description={t.recentText}>
				<Loaded query={known} lines={3}>
					{({ report, refused }) => (
						<RecentCalls
							calls={knownCalls(client, report.addresses, refused)}
							entries={entriesOf(list)}
							proposed={report.proposed_cidrs}
							onAdd={add}
						/>
					)}
				</Loaded>
			</Card>
		</div>
	);
}
