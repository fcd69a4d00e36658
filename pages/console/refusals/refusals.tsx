// `/console/refusals`: why a call was refused, by the request ID of its response.

import { useListState, usePage } from "../../api/list-state.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { shield } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { SpanText } from "../statistics/span-text.tsx";
import { RefusalGroups } from "./refusal-groups.tsx";

const SUBJECTS = ["api_client", "oauth_client", "gate"] as const;
const FILTERS = ["request_id", "code", "subject", "api_client_id", "application_id", "from", "to"];

export function Refusals() {
	const t = useWords("console-refusals");
	const state = useListState({ filters: FILTERS });
	const list = usePage("GET /refusals", state);
	useScreenTitle(t.title);
	const text = (name: string) => {
		const { value, onValue } = state.field(name);
		return { name, value, onValue: (typed: string) => onValue(typed.trim()) };
	};
	return (
		<List
			title={t.title}
			description={t.description}
			before={
				<>
					<search class="lk-refusal-filters">
						<TextInput {...text("request_id")} label={t.requestId} code />
						<TextInput {...text("code")} label={t.code} code />
						<Select
							{...state.field("subject")}
							label={t.subject}
							options={[{ value: "", label: t.anySubject }, ...optionsOf(SUBJECTS, t.subjects)]}
						/>
						{state.isFiltered && (
							<Button variant="quiet" size="small" onClick={state.reset}>
								{uiWords().resetFilters}
							</Button>
						)}
					</search>
					<SpanText {...state.values} text={t.period} />
				</>
			}
			list={list}
			state={state}
			none={{ icon: shield, title: t.nothing, text: t.nothingText }}
			rowsOf={(refusals) => (
				<Card flush>
					<RefusalGroups refusals={refusals} showsSubject />
				</Card>
			)}
		/>
	);
}
