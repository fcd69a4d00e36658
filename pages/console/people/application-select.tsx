// Selects an application; a search appears if there are too many for a list.

import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";

const SHOWN_MAX = 100;
const TYPING_MS = 300;

interface Choice {
	readonly id: string;
	readonly name: string;
}

interface ApplicationSelectProps {
	readonly value: string;
	readonly onValue: (chosen: Choice | undefined) => void;
}

export function ApplicationSelect({ value, onValue }: ApplicationSelectProps) {
	const t = useWords("console-people");
	const [typed, setTyped] = useState("");
	const [q, setQ] = useState("");
	const [isLong, setLong] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setQ(typed.trim()), TYPING_MS);
		return () => clearTimeout(timer);
	}, [typed]);
	const { data, error, reload } = useQuery(`GET /applications choice ${q}`, (signal) =>
		call("GET /applications", { query: { q, page_size: SHOWN_MAX }, signal }),
	);
	const total = data?.total ?? 0;
	useEffect(() => {
		if (total > SHOWN_MAX) setLong(true);
	}, [total]);
	const found = data?.data ?? [];
	useEffect(() => {
		if (value !== "" && data !== undefined && !found.some(({ id }) => id === value)) onValue(undefined);
	}, [data]);
	const sorted = found.toSorted((a, b) => a.name.localeCompare(b.name));
	if (error !== undefined) return <LoadError error={error} onRetry={reload} />;
	return (
		<>
			{isLong && <TextInput name="q" label={t.findApplication} value={typed} onValue={setTyped} optional />}
			<Select
				name="app_id"
				label={t.application}
				value={value}
				onValue={(id) => onValue(found.find((one) => one.id === id))}
				options={[
					{ value: "", label: t.chooseApplication },
					...sorted.map(({ id, name }) => ({ value: id, label: name })),
				]}
			/>
		</>
	);
}
