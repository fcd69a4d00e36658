// What an administrator can do with several selected people.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { everyRow } from "../../api/every-row.ts";
import { forgetQueries } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { session, type User } from "../../api/session.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import type { BulkAction } from "../bulk/bulk-bar.tsx";
import type { FieldsProps, Steps } from "../bulk/task.ts";
import type { Subject } from "../grants/change-grant.ts";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { EndField } from "../grants/end-field.tsx";
import { findApplications, findGroups } from "../grants/find-choices.ts";
import { accessTo } from "../grants/give-access.ts";
import { RolesField } from "../grants/roles-field.tsx";
import { nameOf } from "./person-rules.ts";

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

interface Access {
	readonly application?: Choice | undefined;
	readonly roles: readonly string[];
	readonly end?: string | undefined;
}

function AccessFields({ onSteps }: FieldsProps<User>) {
	const t = useWords("console-access").grants;
	const [access, setAccess] = useState<Access>({ roles: [] });
	const { application, roles } = access;
	const choose = (changed: Partial<Access>) => {
		const chosen = { ...access, ...changed };
		setAccess(chosen);
		if (chosen.application === undefined) return;
		const { run, undo } = accessTo(chosen.application.id, chosen.roles, chosen.end);
		onSteps({ run: (user) => run(subjectOf(user)), undo: undo && ((user) => undo(subjectOf(user))) });
	};
	return (
		<>
			<ChooseField
				name="app_id"
				label={t.findApplication}
				source="applications"
				find={findApplications}
				value={application}
				onValue={(chosen) => choose({ application: chosen, roles: [] })}
				autoFocus
			/>
			{application !== undefined && (
				<RolesField
					key={application.id}
					appId={application.id}
					values={roles}
					onValues={(chosen) => choose({ roles: chosen })}
				/>
			)}
			<EndField onValue={(end) => choose({ end })} />
		</>
	);
}

function subjectOf(user: User): Subject {
	return { kind: "user", id: user.id, name: nameOf(user) };
}

function GroupField({ onSteps }: FieldsProps<User>) {
	const t = useWords("console-access").grants;
	const [{ group, end }, setMembership] = useState<{ group?: Choice; end?: string | undefined }>({});
	const choose = (chosen: Choice | undefined, until: string | undefined) => {
		setMembership({ ...(chosen && { group: chosen }), end: until });
		if (chosen !== undefined) onSteps(membershipIn(chosen.id, until));
	};
	return (
		<>
			<ChooseField
				name="group_id"
				label={t.findGroup}
				source="groups"
				find={findGroups}
				value={group}
				onValue={(chosen) => choose(chosen, end)}
				autoFocus
			/>
			<EndField onValue={(until) => choose(group, until)} />
		</>
	);
}

/** @param end when memberships end; undefined: a present one keeps its end, and a new one has none */
function membershipIn(groupId: string, end: string | undefined): Steps<User> {
	/** By ID of the user; undefined: was no member before. */
	const before = new Map<string, Schemas["UserGroup"] | undefined>();
	const pathOf = ({ id }: User) => ({ path: { id: groupId, user_id: id } });
	const put = (user: User, expires_at?: string | null) =>
		call("PUT /groups/{id}/members/{user_id}", {
			...pathOf(user),
			body: expires_at === undefined ? {} : { expires_at },
		});
	const forget = () => forgetQueries("GET /groups/{id}/members");
	return {
		async run(user) {
			// Not after a lost response: the membership may be the one made here.
			if (!before.has(user.id)) before.set(user.id, await membershipOf(user.id, groupId));
			if (before.get(user.id) === undefined || end !== undefined) await put(user, end);
			forget();
		},
		async undo(user) {
			const held = before.get(user.id);
			if (held === undefined) await call("DELETE /groups/{id}/members/{user_id}", pathOf(user));
			else if (end !== undefined) await put(user, held.expires_at);
			forget();
		},
	};
}

async function membershipOf(userId: string, groupId: string): Promise<Schemas["UserGroup"] | undefined> {
	const groups = everyRow((query) => call("GET /users/{id}/groups", { path: { id: userId }, query }));
	for await (const group of groups) if (group.group_id === groupId) return group;
	return undefined;
}
