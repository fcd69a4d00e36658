// `/console/refusals`: why a call was refused, by the request ID of its response.

import { useListState, usePage } from "../../api/list-state.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { shield } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { RefusalGroups } from "./refusal-groups.tsx";

const SUBJECTS = ["api_client", "oauth_client", "gate"] as const;
const FILTERS = ["request_id", "code", "subject", "api_client_id", "application_id", "from", "to"];

export function Refusals() {
	const t = useWords("console-refusals");
	const state = useListState({ filters: FILTERS });
	const { data, error, isLoading, reload } = usePage("GET /refusals", state);
	useScreenTitle(t.title);
	const text = (name: string) => {
		const { value, onValue } = state.field(name);
		return { name, value, onValue: (typed: string) => onValue(typed.trim()) };
	};
	return (
		<>
			<PageHeader title={t.title} description={t.description} />
			<div class="lk-stack">
				<search class="lk-refusal-filters">
					<TextInput {...text("request_id")} label={t.requestId} code />
					<TextInput {...text("code")} label={t.code} code />
					<Select
						{...state.field("subject")}
						label={t.subject}
						options={[
							{ value: "", label: t.anySubject },
							...SUBJECTS.map((value) => ({ value, label: t.subjects[value] })),
						]}
					/>
					{state.isFiltered && (
						<Button variant="quiet" size="small" onClick={state.reset}>
							{uiWords().resetFilters}
						</Button>
					)}
				</search>
				{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
				{data === undefined && error === undefined && <Skeleton lines={8} />}
				{data?.data.length === 0 && (
					<EmptyState icon={shield} title={t.nothing}>
						{t.nothingText}
					</EmptyState>
				)}
				{data !== undefined && data.data.length > 0 && (
					<Card flush>
						<RefusalGroups refusals={data.data} showsSubject />
					</Card>
				)}
				{data !== undefined && data.total > 0 && (
					<Pagination page={state.page} pageSize={data.page_size} total={data.total} onPage={state.setPage} />
				)}
			</div>
		</>
	);
}
