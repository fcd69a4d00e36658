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
const EMPTY = { email: "", username: "", display_name: "", password: "" };

export function AddPersonDialog({ onClose, onAdded }: AddPersonProps) {
	const t = useWords("console-people");
	const isToFile = useCounts().data?.data.writes_mails_to_files === true;
	const [fields, setFields] = useState(EMPTY);
	const [locale, setLocale] = useState<ChosenLocale>("");
	const [roles, setRoles] = useState<readonly Role[]>([]);
	const [errors, setErrors] = useState<Readonly<Record<string, string>>>();
	const [way, setWay] = useState<"invite" | "password">("invite");
	const set = (name: keyof typeof EMPTY) => (value: string) =>
		setFields((before) => ({ ...before, [name]: value }));
	/** The username follows the email address until it is edited. */
	const setEmail = (email: string) =>
		setFields((before) => ({
			...before,
			email,
			username: before.username === localPart(before.email) ? localPart(email) : before.username,
		}));
	const action = useAction(async () => {
		const { password, ...known } = fields;
		const start = way === "invite" ? { invite: true } : { password };
		const body = { ...known, ...start, roles: [...roles], ...(locale !== "" && { locale }) };
		const { data } = await call("POST /users", { body });
		forgetQueries("GET /users");
		announce(way === "invite" ? t.invitedNow(data.email, isToFile) : t.createdNow(nameOf(data)));
		onAdded(data);
	});
	const submit = () => {
		const found = {
			...(fields.email.trim() === "" && { email: t.enterEmail }),
			...(fields.username.trim().length < USERNAME_MIN && { username: t.enterUsername(USERNAME_MIN) }),
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
			submitLabel={way === "invite" ? t.invite : t.create}
			action={action}
		>
			<TextInput
				name="email"
				type="email"
				label={t.email}
				value={fields.email}
				onValue={setEmail}
				required
				autoFocus
			/>
			<TextInput
				name="display_name"
				label={t.displayName}
				value={fields.display_name}
				onValue={set("display_name")}
				optional
			/>
			<TextInput
				name="username"
				label={t.username}
				value={fields.username}
				onValue={set("username")}
				required
			/>
			<LocaleSelect value={locale} onValue={setLocale} />
			<RadioGroup
				name="invite"
				label={t.howToBegin}
				value={way}
				onValue={setWay}
				options={[
					{ value: "invite", label: t.byInvitation, hint: t.byInvitationHint },
					{ value: "password", label: t.byPassword, hint: t.byPasswordHint },
				]}
			/>
			{way === "password" && (
				<PasswordInput
					name="password"
					label={t.password}
					hint={useWords("ui").newPasswordRules}
					value={fields.password}
					onValue={set("password")}
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
