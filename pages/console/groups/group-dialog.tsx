// Creates or edits a group.

import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { GROUP_DESCRIPTION_MAX, GROUP_NAME_MAX } from "../../api/limits.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";

interface GroupDialogProps {
	/** Undefined for a new group; its page then opens. */
	readonly group?: Schemas["Group"] | undefined;
	readonly onClose: () => void;
	readonly onChanged?: () => void;
}

export function GroupDialog({ group, onClose, onChanged }: GroupDialogProps) {
	const t = useWords("console-access").groups;
	const [, navigate] = useLocation();
	const { values, field } = useFields({ name: group?.name ?? "", description: group?.description ?? "" });
	const save = useAction(async () => {
		const body = { name: values.name.trim(), description: values.description };
		const { data } = await (group === undefined
			? call("POST /groups", { body })
			: call("PATCH /groups/{id}", { path: { id: group.id }, body }));
		forgetQueries("GET /groups");
		announce(group === undefined ? t.added(data.name) : t.saved);
		if (group === undefined) return navigate(`/console/groups/${data.id}`);
		onChanged?.();
		onClose();
	});
	return (
		<FormDialog
			onClose={onClose}
			title={group === undefined ? t.addTitle : t.editTitle(group.name)}
			submitLabel={group === undefined ? t.add : t.save}
			action={save}
		>
			<TextInput {...field("name")} label={t.name} limit={GROUP_NAME_MAX} required autoFocus />
			<TextArea {...field("description")} label={t.whatFor} limit={GROUP_DESCRIPTION_MAX} rows={2} optional />
		</FormDialog>
	);
}
