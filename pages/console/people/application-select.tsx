// Selects an application; a search appears if there are too many for a list.

import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { useSettled } from "../../api/settled.ts";
import { useCall } from "../../api/use-call.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";

const SHOWN_MAX = 100;

interface Choice {
	readonly id: string;
	readonly name: string;
}

interface ApplicationSelectProps {
	readonly value: string;
	readonly onValue: (chosen: Choice | undefined) => void;
	/** Of the choice without an application. */
	readonly noneLabel: string;
	readonly hint?: string;
	/** Default: every application. */
	readonly isOffered?: (application: Schemas["Application"]) => boolean;
}

export function ApplicationSelect({ value, onValue, noneLabel, hint, isOffered }: ApplicationSelectProps) {
	const t = useWords("console-people");
	const { values, field } = useFields({ q: "" });
	const q = useSettled(values.q);
	const [isLong, setLong] = useState(false);
	const { data, error, reload } = useCall("GET /applications", { query: { q, page_size: SHOWN_MAX } });
	const total = data?.total ?? 0;
	useEffect(() => {
		if (total > SHOWN_MAX) setLong(true);
	}, [total]);
	const found = (data?.data ?? []).filter((application) => isOffered?.(application) ?? true);
	useEffect(() => {
		if (value !== "" && data !== undefined && !found.some(({ id }) => id === value)) onValue(undefined);
	}, [data]);
	const sorted = found.toSorted((a, b) => a.name.localeCompare(b.name));
	if (error !== undefined) return <LoadError error={error} onRetry={reload} />;
	return (
		<>
			{isLong && <TextInput {...field("q")} label={t.findApplication} optional />}
			<Select
				name="app_id"
				label={t.application}
				hint={hint}
				value={value}
				onValue={(id) => onValue(found.find((one) => one.id === id))}
				options={[
					{ value: "", label: noneLabel },
					...sorted.map(({ id, name }) => ({ value: id, label: name })),
				]}
			/>
		</>
	);
}
