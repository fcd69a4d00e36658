// The members of a group: lists, adds and removes them.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { people, trash } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { List } from "../../ui/list.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { confirmAction } from "../dialogs.tsx";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { useEndColumn } from "../grants/end-column.tsx";
import { EndField } from "../grants/end-field.tsx";
import { findPeople } from "../grants/find-choices.ts";
import { ManagersCard } from "../managers-card.tsx";
import { isAdmin } from "../roles.ts";

type Member = Schemas["GroupMember"];

const memberName = ({ display_name, username }: Member) => display_name || username;

export function GroupMembers({ group }: { readonly group: Schemas["Group"] }) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	const endColumn = useEndColumn();
	const state = useListState({ filters: ["sort"] });
	const list = usePage("GET /groups/{id}/members", state, { path: { id: group.id } });
	const remove = (member: Member) =>
		confirmAction({
			title: t.removeTitle(memberName(member), group.name),
			text: t.removeText,
			submitLabel: t.removeIt,
			act: () =>
				call("DELETE /groups/{id}/members/{user_id}", { path: { id: group.id, user_id: member.user_id } }),
			done: t.removed(memberName(member)),
			onDone: list.reload,
		});
	return (
		<List
			controls={<p class="lk-muted">{t.membersText}</p>}
			filters={[
				{ name: "sort", label: words.order, any: words.newest, options: { expires_at: words.endsFirst } },
			]}
			add={
				isAdmin() && {
					label: t.addPeople,
					dialog: (close) => <AddMembersDialog group={group} onClose={close} onAdded={list.reload} />,
				}
			}
			list={list}
			state={state}
			caption={t.tabs.members}
			rowKey={({ user_id }) => user_id}
			rowName={memberName}
			hrefOf={({ user_id }) => `/console/people/${user_id}`}
			none={{ icon: people, title: t.nobody, text: t.nobodyText }}
			columns={[
				{
					key: "who",
					header: t.member,
					cell: (member) => <Identity name={memberName(member)} detail={member.email} />,
				},
				{
					key: "status",
					header: t.status,
					isDefault: ({ status }) => status === "active",
					cell: ({ status }) => (
						<Badge dot={status !== "active"} tone={status === "active" ? "plain" : "neutral"}>
							{t.statuses[status]}
						</Badge>
					),
				},
				{ key: "since", header: t.since, cell: ({ added_at }) => <Time at={added_at} format="date" /> },
				endColumn,
			]}
			rowActions={
				isAdmin()
					? (member) => [{ label: t.removeAsk, icon: trash, tone: "danger", onSelect: () => remove(member) }]
					: undefined
			}
		>
			<ManagersCard of="groups" {...group} />
		</List>
	);
}

interface AddMembersDialogProps {
	readonly group: Pick<Schemas["Group"], "id" | "name">;
	readonly onClose: () => void;
	readonly onAdded: () => void;
}

/** Adds users to a group one by one; the dialog stays open for the next. */
function AddMembersDialog({ group, onClose, onAdded }: AddMembersDialogProps) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	const { values, set, field } = useFields({ user_id: undefined as Choice | undefined });
	const [isMissing, setMissing] = useState(false);
	const [end, setEnd] = useState<string>();
	/** Counts the additions; each starts with an empty search. */
	const [added, setAdded] = useState(0);
	const add = useAction(async () => {
		if (values.user_id === undefined) return setMissing(true);
		await call("PUT /groups/{id}/members/{user_id}", {
			path: { id: group.id, user_id: values.user_id.id },
			body: end === undefined ? {} : { expires_at: end },
		});
		forgetQueries("GET /groups/{id}/members");
		announce(t.memberAdded(values.user_id.name, group.name));
		set({ user_id: undefined });
		setMissing(false);
		setAdded((count) => count + 1);
		onAdded();
	});
	return (
		<FormDialog
			onClose={onClose}
			title={t.addPeopleTo(group.name)}
			submitLabel={t.addIt}
			cancel={{ label: added === 0 ? t.cancel : t.done }}
			action={add}
		>
			<ChooseField
				key={added}
				{...field("user_id")}
				label={words.findPerson}
				source="people"
				find={findPeople}
				error={isMissing && values.user_id === undefined ? words.chooseOne : undefined}
				autoFocus
				takesFocus={added > 0}
			/>
			<EndField onValue={setEnd} />
		</FormDialog>
	);
}
