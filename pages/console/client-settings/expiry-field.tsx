// The expiry of a client: never, after a common period, or on a day.

import { useState } from "preact/hooks";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { dayOf, endOf } from "./client-settings.ts";

const DAY_MS = 86_400_000;
const USUAL_DAYS = [30, 90, 365] as const;

interface ExpiryFieldProps {
	/** `YYYY-MM-DD`, or empty for never. */
	readonly value: string;
	readonly onValue: (value: string) => void;
}

export function ExpiryField({ value, onValue }: ExpiryFieldProps) {
	const t = useWords("console-partners").settings;
	const [choice, setChoice] = useState(value === "" ? "never" : "day");
	const inDays = (days: number) => dayOf(new Date(Date.now() + days * DAY_MS).toISOString());
	const choose = (next: string) => {
		setChoice(next);
		if (next === "never") onValue("");
		else onValue(next === "day" ? value || inDays(USUAL_DAYS[1]) : inDays(Number(next)));
	};
	const end = endOf(value);
	return (
		<>
			<Select
				name={choice === "day" ? "expires" : "expires_at"}
				label={t.expiry}
				value={choice}
				onValue={choose}
				hint={choice === "day" || end === null ? undefined : t.until(format.date(end))}
				options={[
					{ value: "never", label: t.never },
					...USUAL_DAYS.map((days) => ({ value: String(days), label: t.afterDays(days) })),
					{ value: "day", label: t.onDay },
				]}
			/>
			{choice === "day" && (
				<LastDayField label={t.lastDay} hint={t.lastDayHint} value={value} onValue={onValue} />
			)}
		</>
	);
}

interface LastDayProps {
	readonly label: string;
	readonly hint?: string;
	/** `YYYY-MM-DD`, or empty. */
	readonly value: string;
	readonly onValue: (value: string) => void;
}

/** Today at the earliest. */
export function LastDayField(props: LastDayProps) {
	return <TextInput name="expires_at" type="date" min={dayOf(new Date().toISOString())} {...props} />;
}
