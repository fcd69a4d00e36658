// The expiry of a key: after a common period, or on a chosen day.

import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";

export interface KeyEnd {
	readonly life: "30" | "90" | "365" | "own";
	/** `2026-12-31`; valid until the end of that day. */
	readonly day: string;
}

interface EndFieldProps {
	readonly value: KeyEnd;
	readonly onValue: (value: KeyEnd) => void;
}

const DAY_MS = 24 * 3_600_000;
const DAYS_MAX = 365;

export function EndField({ value, onValue }: EndFieldProps) {
	const t = useWords("console-settings").keys;
	const isOwn = value.life === "own";
	return (
		<>
			<Select
				name={isOwn ? "life" : "expires_at"}
				label={t.ends}
				hint={isOwn ? undefined : t.endsHint}
				value={value.life}
				onValue={(life) => onValue({ ...value, life })}
				options={(["30", "90", "365", "own"] as const).map((life) => ({
					value: life,
					label: t.lives[life],
				}))}
			/>
			{isOwn && (
				<TextInput
					name="expires_at"
					type="date"
					label={t.day}
					hint={t.endsHint}
					min={dayIn(0)}
					max={dayIn(DAYS_MAX)}
					value={value.day}
					onValue={(day) => onValue({ ...value, day })}
					required
				/>
			)}
		</>
	);
}

/** ISO 8601; the end of the day in the browser's time zone. */
export function endOf({ life, day }: KeyEnd): string {
	if (life !== "own") return new Date(Date.now() + Number(life) * DAY_MS).toISOString();
	return new Date(`${day}T23:59:59`).toISOString();
}

function dayIn(days: number): string {
	return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}
