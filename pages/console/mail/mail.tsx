// `/console/mail`: the tenant's mails by state; failed ones can be sent again.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { type ListState, useListState, usePage } from "../../api/list-state.ts";
import { type Query, useQuery, useRenewal } from "../../api/query.ts";
import type { ResponseOf, Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Button } from "../../ui/button.tsx";
import { mail as mailShape, refresh } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { isolateRuns } from "../../words/isolate.ts";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import type { Period, TimeRange } from "../statistics/period.ts";
import { ResultsCard } from "../statistics/results-card.tsx";
import { SpanText } from "../statistics/span-text.tsx";
import { useCounts } from "../waiting.ts";
import { mailColumns } from "./mail-columns.tsx";

type ListedMail = Schemas["Mail"];

/** Failed mails before the others; the filter shows all of them. */
const FAILED_MAX = 5;

export function Mail() {
	const t = useWords("console-settings").mail;
	useScreenTitle(t.title);
	const writesToFiles = useCounts().data?.data.writes_mails_to_files === true;
	const state = useListState({ filters: ["to", "state", "created_after", "created_before"] });
	const { created_after: from, created_before: until } = state.values;
	const to = wholeAddress(state.settled.to);
	const settled = { ...state.settled, to };
	const list = useMails({ ...state, settled });
	const [chosen, setChosen] = useState<ListedMail>();
	const labelOf = ({ state: sent }: ListedMail) => (sent === "failed" ? t.resend : t.sendNow);
	const refreshButton = (
		<Button icon={refresh} pending={list.isLoading && list.data !== undefined} onClick={list.reload}>
			{t.refresh}
		</Button>
	);
	return (
		<>
			<List
				title={t.title}
				description={t.description}
				actions={refreshButton}
				before={
					<>
						{writesToFiles && (
							<Notice tone="warning" title={t.toFiles}>
								<p>{t.toFilesText}</p>
							</Notice>
						)}
						<ResultsCard
							title={t.overTime}
							okLabel={t.states.sent}
							refusedLabel={t.states.failed}
							describe={t.share}
							queryKey="GET /stats mails"
							load={mailsOver}
							hrefOf={mailsCreated}
							chosen={{ from, to: until }}
						/>
						<SpanText from={from} to={until} text={t.span} />
					</>
				}
				controls={<SearchBox {...state.field("to")} label={t.searchTo} />}
				filters={[{ name: "state", label: t.state, any: t.allStates, options: t.states }]}
				list={list}
				state={state}
				caption={t.caption}
				columns={mailColumns(t)}
				rowKey={({ id }) => id}
				rowName={({ subject }) => subject}
				rowActions={(mail) =>
					mail.state === "sent" ? [] : [{ label: labelOf(mail), onSelect: () => setChosen(mail) }]
				}
				noMatch={{ title: t.noMatch, text: t.noMatchText }}
				none={{ icon: mailShape, title: t.none, text: t.noneText }}
			/>
			{chosen !== undefined && (
				<ConfirmAction
					title={t.resendTitle}
					submitLabel={labelOf(chosen)}
					tone="primary"
					act={() => call("POST /mails/{id}/resend", { path: { id: chosen.id } })}
					done={t.resent}
					onClose={() => setChosen(undefined)}
					onDone={list.reload}
				>
					<p>
						<strong>
							<bdi>{isolateRuns(chosen.subject)}</bdi>
						</strong>
					</p>
					<p>{t.resendText(chosen.to)}</p>
				</ConfirmAction>
			)}
		</>
	);
}

/** On the first page without filters, the latest failed mails precede the others. */
function useMails(state: ListState): Query<ResponseOf<"GET /mails">> {
	const list = usePage("GET /mails", state);
	const isFirst = !state.isFiltered && state.page === 1;
	const failed = useQuery(isFirst ? "GET /mails failed" : undefined, (signal) =>
		call("GET /mails", { query: { state: "failed", page_size: FAILED_MAX }, signal }),
	);
	useRenewal(failed);
	if (!isFirst) return list;
	const first = failed.data?.data ?? [];
	const others = list.data?.data.filter(({ id }) => !first.some((mail) => mail.id === id)) ?? [];
	return {
		...list,
		data: list.data && failed.data && { ...list.data, data: [...first, ...others] },
		error: list.error ?? failed.error,
		reload() {
			list.reload();
			failed.reload();
		},
	};
}

function mailsCreated({ from, to }: TimeRange): string {
	return `/console/mail?${new URLSearchParams({ created_after: from, created_before: to })}`;
}

async function mailsOver(query: Pick<Period, "from" | "to" | "step">, signal: AbortSignal) {
	const { data } = await call("GET /stats", { query, signal });
	return data.steps.map(({ at, mails_sent: ok, mails_failed: failed }) => ({ at, ok, refused: { failed } }));
}

/** The API accepts only complete addresses, so the list does not change while one is typed. */
function wholeAddress(text = ""): string {
	return /^\S+@\S+\.\S+$/.test(text.trim()) ? text.trim().toLowerCase() : "";
}
