// Adds a person: with an invitation, or with a password that the administrator hands over.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Role, User } from "../../api/session.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { useCounts } from "../waiting.ts";
import { type ChosenLocale, LocaleSelect } from "./locale-select.tsx";
import { givableRoles, nameOf } from "./person-rules.ts";

interface AddPersonProps {
	readonly onClose: () => void;
	readonly onAdded: (user: User) => void;
}

/** The API enforces it. */
const USERNAME_MIN = 3;
const EMPTY = {
	email: "",
	username: "",
	display_name: "",
	password: "",
	way: "invite" as "invite" | "password",
};

export function AddPersonDialog({ onClose, onAdded }: AddPersonProps) {
	const t = useWords("console-people");
	const isToFile = useCounts().data?.data.writes_mails_to_files === true;
	const [locale, setLocale] = useState<ChosenLocale>("");
	const [roles, setRoles] = useState<readonly Role[]>([]);
	const [errors, setErrors] = useState<Readonly<Record<string, string>>>();
	const { values, set, field } = useFields(EMPTY);
	/** The username follows the email address until it is edited. */
	const setEmail = (email: string) =>
		set({ email, ...(values.username === localPart(values.email) && { username: localPart(email) }) });
	const action = useAction(async () => {
		const { password, way, ...known } = values;
		const start = way === "invite" ? { invite: true } : { password };
		const body = { ...known, ...start, roles: [...roles], ...(locale !== "" && { locale }) };
		const { data } = await call("POST /users", { body });
		forgetQueries("GET /users");
		announce(way === "invite" ? t.invitedNow(data.email, isToFile) : t.createdNow(nameOf(data)));
		onAdded(data);
	});
	const submit = () => {
		const found = {
			...(values.email.trim() === "" && { email: t.enterEmail }),
			...(values.username.trim().length < USERNAME_MIN && { username: t.enterUsername(USERNAME_MIN) }),
		};
		const isIncomplete = Object.keys(found).length > 0;
		setErrors(isIncomplete ? found : undefined);
		return isIncomplete ? undefined : action.run();
	};
	return (
		<FormDialog
			onClose={onClose}
			onSubmit={submit}
			errors={errors}
			title={t.addTitle}
			submitLabel={values.way === "invite" ? t.invite : t.create}
			action={action}
		>
			<TextInput
				name="email"
				type="email"
				label={t.email}
				value={values.email}
				onValue={setEmail}
				required
				autoFocus
			/>
			<TextInput {...field("display_name")} label={t.displayName} optional />
			<TextInput {...field("username")} label={t.username} required />
			<LocaleSelect value={locale} onValue={setLocale} />
			<RadioGroup
				{...field("way")}
				name="invite"
				label={t.howToBegin}
				options={[
					{ value: "invite", label: t.byInvitation, hint: t.byInvitationHint },
					{ value: "password", label: t.byPassword, hint: t.byPasswordHint },
				]}
			/>
			{values.way === "password" && (
				<PasswordInput
					{...field("password")}
					label={t.password}
					hint={useWords("ui").newPasswordRules}
					autoComplete="new-password"
					required
				/>
			)}
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

function localPart(email: string): string {
	return email.split("@")[0] ?? "";
}
