// What an administrator can do with several selected people.

import { call } from "../../api/client.ts";
import { session, type User } from "../../api/session.ts";
import type { WordsOf } from "../../words/words.ts";
import type { BulkAction } from "../bulk/bulk-bar.tsx";
import { AccessFields, GroupField } from "./bulk-fields.tsx";

/**
 * Changes of the status leave out the administrator's own account, and invited ones: enabling them later would make them
 * active.
 */
export function peopleActions(
	t: WordsOf<"console-people">,
	{ chooseOne, giveAccess }: WordsOf<"console-access">["grants"],
): readonly BulkAction<User>[] {
	const isOther = ({ id }: User) => id !== session.value.user?.id;
	const isActive = (user: User) => user.status === "active" && isOther(user);
	const setStatus = (status: "active" | "disabled") => (user: User) =>
		call("PATCH /users/{id}", { path: { id: user.id }, body: { status } });
	return [
		{
			key: "group",
			label: t.addToGroup,
			title: t.bulkGroupTitle,
			appliesTo: () => true,
			Fields: GroupField,
			missing: { group_id: chooseOne },
		},
		{
			key: "access",
			label: giveAccess,
			title: t.bulkAccessTitle,
			text: t.bulkAccessText,
			appliesTo: () => true,
			Fields: AccessFields,
			missing: { app_id: chooseOne },
		},
		{
			key: "disable",
			label: t.bulkDisable,
			title: t.bulkDisableTitle,
			text: t.bulkDisableText,
			tone: "danger",
			appliesTo: isActive,
			run: setStatus("disabled"),
			undo: setStatus("active"),
		},
		{
			key: "enable",
			label: t.bulkEnable,
			title: t.bulkEnableTitle,
			text: t.bulkEnableText,
			appliesTo: (user) => user.status === "disabled",
			run: setStatus("active"),
			undo: setStatus("disabled"),
		},
		{
			key: "endSessions",
			label: t.bulkEndSessions,
			title: t.bulkEndSessionsTitle,
			text: t.bulkEndSessionsText,
			tone: "danger",
			appliesTo: isActive,
			run: ({ id }) => call("POST /users/{id}/sessions/revoke", { path: { id } }),
		},
	];
}
