// The managers of an application or a group: lists them, and lets administrators add and remove them.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { forgetQueries, useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { useCall } from "../api/use-call.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EntryList } from "../ui/entry-list.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { person } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { announce } from "../ui/status-line.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import { confirmAction, openDialog } from "./dialogs.tsx";
import { type Choice, ChooseField } from "./grants/choose-field.tsx";
import { findPeople } from "./grants/find-choices.ts";
import { isAdmin } from "./roles.ts";

interface ManagersCardProps {
	readonly of: "applications" | "groups";
	readonly id: string;
	readonly name: string;
}

const SHOWN_MAX = 100;
const nameOf = ({ display_name, username }: Schemas["Manager"]) => display_name || username;

export function ManagersCard({ of, id, name }: ManagersCardProps) {
	const t = useWords("console-access").managers;
	const query = useCall(`GET /${of}/{id}/managers`, { path: { id }, query: { page_size: SHOWN_MAX } });
	const { data, error, isLoading, reload } = query;
	const add = () => openDialog((close) => <AddDialog of={of} id={id} onClose={close} onAdded={reload} />);
	const remove = (manager: Schemas["Manager"]) =>
		confirmAction({
			title: t.removeTitle(nameOf(manager), name),
			text: t.removeText,
			submitLabel: t.removeIt,
			act: () => call(`DELETE /${of}/{id}/managers/{user_id}`, { path: { id, user_id: manager.user_id } }),
			done: t.removed(nameOf(manager), name),
			onDone: reload,
		});
	const entries = (data?.data ?? []).map((manager) => ({
		key: manager.user_id,
		icon: person,
		title: nameOf(manager),
		detail: manager.email,
		actions: isAdmin() && (
			<Button size="small" onClick={() => remove(manager)}>
				{t.remove}
				<span class="lk-hidden"> {nameOf(manager)}</span>
			</Button>
		),
	}));
	return (
		<Card
			title={t.title}
			description={t.text[of]}
			actions={isAdmin() && <Button onClick={add}>{t.add}</Button>}
			flush={entries.length > 0}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{entries.length > 0 && <EntryList label={t.title} entries={entries} />}
		</Card>
	);
}

interface AddDialogProps extends Omit<ManagersCardProps, "name"> {
	readonly onClose: () => void;
	readonly onAdded: () => void;
}

function AddDialog({ of, id, onClose, onAdded }: AddDialogProps) {
	const { managers: t, grants } = useWords("console-access");
	const { values, field } = useFields({ user_id: undefined as Choice | undefined });
	const [isMissing, setMissing] = useState(false);
	const add = useAction(async () => {
		if (values.user_id === undefined) return setMissing(true);
		await call(`PUT /${of}/{id}/managers/{user_id}`, { path: { id, user_id: values.user_id.id } });
		forgetQueries(`GET /${of}/{id}/managers`);
		announce(t.added(values.user_id.name));
		onAdded();
		onClose();
	});
	return (
		<FormDialog onClose={onClose} title={t.addTitle} submitLabel={t.addIt} action={add} size="small">
			<ChooseField
				{...field("user_id")}
				label={grants.findPerson}
				source="people"
				find={findPeople}
				error={isMissing && values.user_id === undefined ? grants.chooseOne : undefined}
				autoFocus
			/>
		</FormDialog>
	);
}
