// Chooses one record: a search by name, and the first matches as choices.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Query, useQuery } from "../../api/query.ts";
import { useSettled } from "../../api/settled.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import "./choose-field.css";

export interface Choice {
	readonly id: string;
	readonly name: string;
	readonly detail?: string | undefined;
}

interface Found {
	readonly choices: readonly Choice[];
	readonly total: number;
}

interface ChooseFieldProps {
	/** As the API names it. */
	readonly name: string;
	/** Label of the search. */
	readonly label: string;
	readonly value: Choice | undefined;
	readonly onValue: (value: Choice) => void;
	/** Names what is searched; part of the cache key. */
	readonly source: string;
	readonly find: (q: string, limit: number, signal: AbortSignal) => Promise<Found>;
	readonly autoFocus?: boolean | undefined;
	/** For a field that appears in an open dialog, where `autoFocus` has no effect. */
	readonly takesFocus?: boolean | undefined;
	/** For example that nothing is chosen. */
	readonly error?: string | undefined;
}

const SHOWN_MAX = 5;

export function ChooseField(props: ChooseFieldProps) {
	const [typed, setTyped] = useState("");
	const input = useRef<HTMLInputElement>(null);
	useLayoutEffect(() => {
		if (props.takesFocus === true) input.current?.focus();
	}, []);
	const q = useSettled(typed);
	const query = useQuery(`choice ${props.source} ${q}`, (signal) => props.find(q, SHOWN_MAX, signal));
	return (
		<div class="lk-choose">
			<TextInput
				name={`${props.name}-search`}
				label={props.label}
				value={typed}
				onValue={setTyped}
				autoFocus={props.autoFocus}
				inputRef={input}
			/>
			<Matches {...props} query={query} />
		</div>
	);
}

function Matches({ query, ...props }: ChooseFieldProps & { readonly query: Query<Found> }) {
	const t = useWords("console-access").grants;
	const { data, error, isLoading, reload } = query;
	const { name, label, value, onValue } = props;
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton lines={3} />;
	const { choices, total } = data;
	const shown =
		value === undefined || choices.some(({ id }) => id === value.id) ? choices : [value, ...choices];
	if (shown.length === 0) return <p class="lk-muted">{t.nothingFound}</p>;
	return (
		<>
			<RadioGroup
				name={name}
				label={label}
				hideLabel
				error={props.error}
				value={value?.id}
				onValue={(id) => {
					const chosen = shown.find((choice) => choice.id === id);
					if (chosen !== undefined) onValue(chosen);
				}}
				options={shown.map(({ id, name: text, detail }) => ({ value: id, label: text, hint: detail }))}
			/>
			{total > choices.length && <p class="lk-muted">{t.moreMatches(total - choices.length)}</p>}
		</>
	);
}
