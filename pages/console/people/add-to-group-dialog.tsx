// Adds a person to a group.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { EndField } from "../grants/end-field.tsx";
import { findGroups } from "../grants/find-choices.ts";
import { nameOf } from "./person-rules.ts";

interface AddToGroupDialogProps {
	readonly user: User;
	readonly onClose: () => void;
	readonly onAdded: () => void;
}

export function AddToGroupDialog({ user, onClose, onAdded }: AddToGroupDialogProps) {
	const t = useWords("console-people");
	const { grants, groups } = useWords("console-access");
	const { values, field } = useFields({ group_id: undefined as Choice | undefined });
	const [end, setEnd] = useState<string>();
	const [isMissing, setMissing] = useState(false);
	const add = useAction(async () => {
		if (values.group_id === undefined) return setMissing(true);
		await call("PUT /groups/{id}/members/{user_id}", {
			path: { id: values.group_id.id, user_id: user.id },
			body: end === undefined ? {} : { expires_at: end },
		});
		for (const list of ["GET /groups/{id}/members", `GET /users/${user.id}`]) forgetQueries(list);
		announce(groups.memberAdded(nameOf(user), values.group_id.name));
		onAdded();
		onClose();
	});
	return (
		<FormDialog onClose={onClose} title={t.addToGroup} submitLabel={groups.addIt} action={add} size="small">
			<ChooseField
				{...field("group_id")}
				label={grants.findGroup}
				source="groups"
				find={findGroups}
				error={isMissing && values.group_id === undefined ? grants.chooseOne : undefined}
				autoFocus
			/>
			<EndField onValue={setEnd} />
		</FormDialog>
	);
}
