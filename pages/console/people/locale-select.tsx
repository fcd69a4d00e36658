// The language of mails to a person.

import type { User } from "../../api/session.ts";
import { Select } from "../../ui/select.tsx";
import { LANGUAGES } from "../../words/language.ts";
import { useWords } from "../../words/words.ts";

/** `""`: none is chosen. */
export type ChosenLocale = NonNullable<User["locale"]> | "";

interface LocaleSelectProps {
	readonly value: ChosenLocale;
	readonly onValue: (value: ChosenLocale) => void;
	/** Languages added by the operator have no name here; the person's current one is kept. */
	readonly kept?: User["locale"] | undefined;
}

export function LocaleSelect({ value, onValue, kept }: LocaleSelectProps) {
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
