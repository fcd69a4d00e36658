// What an administrator chooses for several people: a group, or an application and its roles.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { everyRow } from "../../api/every-row.ts";
import { forgetQueries } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { useWords } from "../../words/words.ts";
import type { FieldsProps, Steps } from "../bulk/task.ts";
import type { Subject } from "../grants/change-grant.ts";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { findApplications, findGroups } from "../grants/find-choices.ts";
import { accessTo } from "../grants/give-access.ts";
import { RolesField } from "../grants/roles-field.tsx";
import { nameOf } from "./person-rules.ts";

export function AccessFields({ onSteps }: FieldsProps<User>) {
	const t = useWords("console-access").grants;
	const [application, setApplication] = useState<Choice>();
	const [roles, setRoles] = useState<readonly string[]>([]);
	const choose = (chosen: Choice, chosenRoles: readonly string[]) => {
		setApplication(chosen);
		setRoles(chosenRoles);
		const { run, undo } = accessTo(chosen.id, chosenRoles);
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
				onValue={(chosen) => choose(chosen, [])}
				autoFocus
			/>
			{application !== undefined && (
				<RolesField
					key={application.id}
					appId={application.id}
					values={roles}
					onValues={(chosen) => choose(application, chosen)}
				/>
			)}
		</>
	);
}

function subjectOf(user: User): Subject {
	return { kind: "user", id: user.id, name: nameOf(user) };
}

export function GroupField({ onSteps }: FieldsProps<User>) {
	const t = useWords("console-access").grants;
	const [group, setGroup] = useState<Choice>();
	return (
		<ChooseField
			name="group_id"
			label={t.findGroup}
			source="groups"
			find={findGroups}
			value={group}
			onValue={(chosen) => {
				setGroup(chosen);
				onSteps(membershipIn(chosen.id));
			}}
			autoFocus
		/>
	);
}

function membershipIn(groupId: string): Steps<User> {
	/** By ID of the user; who was a member before stays one. */
	const before = new Map<string, boolean>();
	const pathOf = ({ id }: User) => ({ path: { id: groupId, user_id: id } });
	const forget = () => forgetQueries("GET /groups/{id}/members");
	return {
		async run(user) {
			// Not after a lost response: the membership may be the one made here.
			if (!before.has(user.id)) before.set(user.id, await isMember(user.id, groupId));
			if (before.get(user.id) !== true) await call("PUT /groups/{id}/members/{user_id}", pathOf(user));
			forget();
		},
		async undo(user) {
			if (before.get(user.id) !== true) await call("DELETE /groups/{id}/members/{user_id}", pathOf(user));
			forget();
		},
	};
}

async function isMember(userId: string, groupId: string): Promise<boolean> {
	const groups = everyRow((query) => call("GET /users/{id}/groups", { path: { id: userId }, query }));
	for await (const { group_id } of groups) if (group_id === groupId) return true;
	return false;
}
