// The display name, and the language of pages and mails.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { DISPLAY_NAME_MAX } from "../api/limits.ts";
import { useAction } from "../api/query.ts";
import { Card } from "../ui/card.tsx";
import { Form } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useFields } from "../ui/use-fields.ts";
import { LANGUAGES, language, languageOf } from "../words/language.ts";
import { chooseLanguage, useWords } from "../words/words.ts";
import { ownUser, updateUser } from "./own-user.ts";
import { signalPasskeys } from "./signal-passkeys.ts";

const OF_REQUEST = "";

export function ProfileCard() {
	const t = useWords("account");
	const user = ownUser();
	const { values, set, field } = useFields({
		display_name: user.display_name,
		locale: user.locale ?? (OF_REQUEST as string),
	});
	const [saved, setSaved] = useState(0);
	// In the language just selected.
	useEffect(() => {
		if (saved > 0) announce(t.profileSaved);
	}, [saved]);
	const save = useAction(async () => {
		const body = {
			display_name: values.display_name,
			locale: (values.locale || null) as typeof user.locale,
		};
		const { data } = await call("PATCH /users/me", { body });
		updateUser(data);
		set({ display_name: data.display_name });
		call("GET /users/me/mfa")
			.then((factors) => signalPasskeys(factors.data.passkey_account))
			.catch(reportError);
		const next = languageOf(data.locale);
		if (next !== undefined && next !== language.value) await chooseLanguage(next);
		setSaved((count) => count + 1);
	});
	return (
		<Card title={t.profile}>
			<Form submitLabel={t.save} action={save}>
				<TextInput
					{...field("display_name")}
					label={t.displayName}
					hint={t.displayNameHint}
					limit={DISPLAY_NAME_MAX}
					autoComplete="name"
				/>
				<Select
					{...field("locale")}
					label={t.language}
					hint={t.languageHint}
					options={localeOptions(user.locale, t.languageOfRequest)}
				/>
			</Form>
		</Card>
	);
}

/** The languages of the pages, plus the user's mail language if an operator added one the pages do not have. */
function localeOptions(current: string | null, ofRequest: string) {
	const known = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }));
	const isOther = current !== null && !known.some(({ value }) => value === current);
	const other = isOther ? [{ value: current, label: nameOf(current) }] : [];
	return [{ value: OF_REQUEST, label: ofRequest }, ...known, ...other];
}

function nameOf(tag: string): string {
	return new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag;
}
