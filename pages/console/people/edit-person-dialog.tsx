// Changes the details and roles of a person; sends only what changed.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { type Role, session, type User } from "../../api/session.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { type ChosenLocale, LocaleSelect } from "./locale-select.tsx";
import { givableRoles, nameOf } from "./person-rules.ts";

interface EditPersonProps {
	readonly user: User;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function EditPersonDialog({ user, onClose, onChanged }: EditPersonProps) {
	const t = useWords("console-people");
	const { values, field } = useFields({
		display_name: user.display_name,
		email: user.email,
		username: user.username,
	});
	const [locale, setLocale] = useState<ChosenLocale>(user.locale ?? "");
	const [roles, setRoles] = useState<readonly Role[]>(user.roles);
	const action = useAction(async () => {
		const body = changesOf(user, { ...values, locale: locale || null, roles: [...roles] });
		const { data } = await call("PATCH /users/{id}", { path: { id: user.id }, body });
		if (data.id === session.value.user?.id)
			session.value = { ...session.value, user: data, roles: data.roles };
		announce(t.saved);
		onChanged();
		onClose();
	});
	return (
		<FormDialog onClose={onClose} title={t.editTitle(nameOf(user))} submitLabel={t.save} action={action}>
			<TextInput {...field("display_name")} label={t.displayName} optional autoFocus />
			<TextInput {...field("email")} type="email" label={t.email} hint={t.emailHint} required />
			<TextInput {...field("username")} label={t.username} required />
			<LocaleSelect value={locale} onValue={setLocale} kept={user.locale} />
			<CheckboxGroup
				name="roles"
				label={t.roles}
				values={roles}
				onValues={setRoles}
				options={givableRoles().map((role) => ({
					value: role,
					label: t.roleNames[role],
					hint: t.roleHints[role],
				}))}
			/>
		</FormDialog>
	);
}

type Patch = Schemas["UpdateUserBody"];

function changesOf(user: User, wanted: Patch): Patch {
	const before: Readonly<Record<string, unknown>> = user;
	const changed = Object.entries(wanted).filter(
		([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
	);
	return Object.fromEntries(changed);
}
