// `/console/reviews`: the reviews of access, and the dialog that begins one.

import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { REVIEW_NAME_MAX } from "../../api/limits.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import { useCall } from "../../api/use-call.ts";
import { Badge } from "../../ui/badge.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { shield } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { Time } from "../../ui/time.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";

export const REVIEWS_PATH = "/console/reviews";
const SUBJECTS = ["people", "partners", "programs", "admin_keys"] as const;
const UNANSWERED = ["keep", "end"] as const;
const DAYS = ["7", "14", "30", "90"] as const;
const DAY_MS = 86_400_000;
/** The clock of the browser may be behind that of the service. */
const SLACK_MS = 60_000;

export function Reviews() {
	const t = useWords("console-reviews");
	useScreenTitle(t.title);
	const state = useListState();
	const list = usePage("GET /reviews", state);
	return (
		<List
			title={t.title}
			description={t.description}
			add={isAdmin() && { label: t.add, dialog: (close) => <ReviewDialog onClose={close} /> }}
			list={list}
			state={state}
			caption={t.title}
			rowKey={({ id }) => id}
			hrefOf={({ id }) => `${REVIEWS_PATH}/${id}`}
			none={{ icon: shield, title: t.none, text: t.noneText, offersAdd: true }}
			columns={[
				{ key: "name", header: t.name, cell: ({ name }) => <bdi>{name}</bdi> },
				{ key: "subject", header: t.subject, cell: ({ subject }) => t.subjects[subject] },
				{ key: "progress", header: t.progress, cell: ({ total, open }) => t.decided(total - open, total) },
				{
					key: "status",
					header: t.status,
					cell: ({ status }) => (
						<Badge tone={status === "open" ? "info" : "plain"}>{t.statuses[status]}</Badge>
					),
				},
				{
					key: "due_at",
					header: t.due,
					narrow: "end",
					cell: ({ due_at }) => <Time at={due_at} format="date" />,
				},
			]}
		/>
	);
}

function ReviewDialog({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("console-reviews");
	const [, navigate] = useLocation();
	const { values, field } = useFields({
		name: "",
		subject: "people" as (typeof SUBJECTS)[number],
		unanswered: "keep" as (typeof UNANSWERED)[number],
		due_at: "30" as (typeof DAYS)[number],
		reviewers: "",
	});
	const groups = useCall("GET /groups", { query: { page_size: 100 } });
	const create = useAction(async () => {
		const { reviewers, ...rest } = values;
		const due_at = new Date(Date.now() + Number(values.due_at) * DAY_MS + SLACK_MS).toISOString();
		const body = { ...rest, name: values.name.trim(), due_at, ...(reviewers !== "" && { reviewers }) };
		const { data } = await call("POST /reviews", { body });
		forgetQueries("GET /reviews");
		navigate(`${REVIEWS_PATH}/${data.id}`);
	});
	return (
		<FormDialog onClose={onClose} title={t.add} submitLabel={t.add} action={create}>
			<TextInput {...field("name")} label={t.name} limit={REVIEW_NAME_MAX} required autoFocus />
			<Select {...field("subject")} label={t.subject} options={optionsOf(SUBJECTS, t.subjects)} />
			<Select
				{...field("unanswered")}
				label={t.unanswered}
				options={optionsOf(UNANSWERED, t.unansweredChoices)}
			/>
			<Select
				{...field("due_at")}
				label={t.due}
				options={DAYS.map((value) => ({ value, label: t.days(Number(value)) }))}
			/>
			<Select
				{...field("reviewers")}
				label={t.reviewers}
				options={[
					{ value: "", label: t.administrators },
					...(groups.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
				]}
			/>
		</FormDialog>
	);
}
