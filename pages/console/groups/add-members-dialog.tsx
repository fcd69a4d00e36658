// Adds users to a group one by one; the dialog stays open for the next.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { findPeople } from "../grants/find-choices.ts";

interface AddMembersDialogProps {
	readonly group: Pick<Schemas["Group"], "id" | "name">;
	readonly onClose: () => void;
	readonly onAdded: () => void;
}

export function AddMembersDialog({ group, onClose, onAdded }: AddMembersDialogProps) {
	const t = useWords("console-access").groups;
	const words = useWords("console-access").grants;
	const [chosen, setChosen] = useState<Choice>();
	const [isMissing, setMissing] = useState(false);
	/** Counts the additions; each starts with an empty search. */
	const [added, setAdded] = useState(0);
	const add = useAction(async () => {
		if (chosen === undefined) return setMissing(true);
		await call("PUT /groups/{id}/members/{user_id}", { path: { id: group.id, user_id: chosen.id } });
		forgetQueries("GET /groups/{id}/members");
		announce(t.memberAdded(chosen.name, group.name));
		setChosen(undefined);
		setMissing(false);
		setAdded((count) => count + 1);
		onAdded();
	});
	return (
		<FormDialog
			onClose={onClose}
			title={t.addPeopleTo(group.name)}
			submitLabel={t.addIt}
			closeLabel={added === 0 ? t.cancel : t.done}
			action={add}
		>
			<ChooseField
				key={added}
				name="user_id"
				label={words.findPerson}
				source="people"
				find={findPeople}
				value={chosen}
				onValue={setChosen}
				error={isMissing && chosen === undefined ? words.chooseOne : undefined}
				autoFocus
				takesFocus={added > 0}
			/>
		</FormDialog>
	);
}
