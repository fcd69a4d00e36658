// Adds a person, with an invitation or with a password that the administrator hands over; changes the details and roles of one.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { type Role, session, type User } from "../../api/session.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { optionsOf } from "../../ui/options.ts";
import { PasswordInput } from "../../ui/password-input.tsx";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { LANGUAGES } from "../../words/language.ts";
import { useWords } from "../../words/words.ts";
import { useChecked } from "../editing/use-checked.ts";
import { useCounts } from "../waiting.ts";
import { ApplicationSelect } from "./application-select.tsx";
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
	locale: "" as ChosenLocale,
	way: "invite" as "invite" | "password",
};

export function AddPersonDialog({ onClose, onAdded }: AddPersonProps) {
	const t = useWords("console-people");
	const isToFile = useCounts().data?.data.writes_mails_to_files === true;
	const [roles, setRoles] = useState<readonly Role[]>([]);
	const { values, set, field } = useFields(EMPTY);
	/** The username follows the email address until it is edited. */
	const setEmail = (email: string) =>
		set({ email, ...(values.username === localPart(values.email) && { username: localPart(email) }) });
	const action = useAction(async () => {
		const { password, way, locale, ...known } = values;
		const start = way === "invite" ? { invite: true } : { password };
		const body = { ...known, ...start, roles: [...roles], ...(locale !== "" && { locale }) };
		const { data } = await call("POST /users", { body });
		forgetQueries("GET /users");
		announce(way === "invite" ? t.invitedNow(data.email, isToFile) : t.createdNow(nameOf(data)));
		onAdded(data);
	});
	const checked = useChecked(action, () => ({
		...(values.email.trim() === "" && { email: t.enterEmail }),
		...(values.username.trim().length < USERNAME_MIN && { username: t.enterUsername(USERNAME_MIN) }),
	}));
	return (
		<FormDialog
			{...checked}
			onClose={onClose}
			title={t.add}
			submitLabel={values.way === "invite" ? t.invite : t.create}
		>
			<TextInput {...field("email")} onValue={setEmail} type="email" label={t.email} required autoFocus />
			<TextInput {...field("display_name")} label={t.displayName} optional />
			<TextInput {...field("username")} label={t.username} required />
			<LocaleSelect {...field("locale")} />
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
			<RolesField roles={roles} onRoles={setRoles} />
		</FormDialog>
	);
}

interface RolesFieldProps {
	readonly roles: readonly Role[];
	readonly onRoles: (roles: readonly Role[]) => void;
}

function RolesField({ roles, onRoles }: RolesFieldProps) {
	const t = useWords("console-people");
	return (
		<CheckboxGroup
			name="roles"
			label={t.roles}
			values={roles}
			onValues={onRoles}
			options={optionsOf(givableRoles(), t.roleNames, t.roleHints)}
		/>
	);
}

function localPart(email: string): string {
	return email.split("@")[0] ?? "";
}

/** Sends only what changed. */
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
		locale: (user.locale ?? "") as ChosenLocale,
	});
	const [roles, setRoles] = useState<readonly Role[]>(user.roles);
	const action = useAction(async () => {
		const body = changesOf(user, { ...values, locale: values.locale || null, roles: [...roles] });
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
			<LocaleSelect {...field("locale")} kept={user.locale} />
			<RolesField roles={roles} onRoles={setRoles} />
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

const MINUTES = ["5", "15", "30", "60"] as const;

/** Creates a support session, and opens its URL. */
export function SupportDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
	const t = useWords("console-people").support;
	const { values, field } = useFields({ reason: "", ticket: "", minutes: "30" });
	const [appId, setAppId] = useState("");
	const create = useAction(async () => {
		const { reason, ticket, minutes } = values;
		const body = {
			reason,
			minutes: Number(minutes),
			...(ticket !== "" && { ticket }),
			...(appId !== "" && { app_id: appId }),
		};
		const { data } = await call("POST /users/{id}/support-sessions", { path: { id: user.id }, body });
		location.assign(data.url);
	});
	return (
		<FormDialog
			title={t.title(nameOf(user))}
			text={t.text}
			submitLabel={t.submit}
			action={create}
			onClose={onClose}
		>
			<TextArea {...field("reason")} label={t.reason} hint={t.reasonHint} required />
			<Select
				{...field("minutes")}
				label={t.duration}
				options={MINUTES.map((value) => ({ value, label: t.minutes(Number(value)) }))}
			/>
			<ApplicationSelect
				value={appId}
				onValue={(chosen) => setAppId(chosen?.id ?? "")}
				noneLabel={t.accountOnly}
				hint={t.applicationHint}
				isOffered={(application) => application.support_sessions}
			/>
			<TextInput {...field("ticket")} label={t.ticket} optional />
		</FormDialog>
	);
}

/** `""`: none is chosen. */
type ChosenLocale = NonNullable<User["locale"]> | "";

/** The language of mails to a person. */
interface LocaleSelectProps {
	readonly value: ChosenLocale;
	readonly onValue: (value: ChosenLocale) => void;
	/** Languages added by the operator have no name here; the person's current one is kept. */
	readonly kept?: User["locale"] | undefined;
}

function LocaleSelect({ value, onValue, kept }: LocaleSelectProps) {
	const t = useWords("console-people");
	const named = Object.entries(LANGUAGES).map(([tag, label]) => ({ value: tag as ChosenLocale, label }));
	const isNamed = !kept || Object.hasOwn(LANGUAGES, kept);
	return (
		<Select
			name="locale"
			label={t.language}
			value={value}
			onValue={onValue}
			options={[
				{ value: "", label: t.automatic },
				...named,
				...(isNamed ? [] : [{ value: kept, label: kept }]),
			]}
		/>
	);
}
