// Chooses records: a search by name, and the first matches as choices.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Query, useQuery } from "../../api/query.ts";
import { useSettled } from "../../api/settled.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
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

export interface Found {
	readonly choices: readonly Choice[];
	readonly total: number;
}

interface SearchProps {
	/** As the API names it. */
	readonly name: string;
	/** Label of the search. */
	readonly label: string;
	/** Names what is searched; part of the cache key. */
	readonly source: string;
	readonly find: (q: string, limit: number, signal: AbortSignal) => Promise<Found>;
	readonly autoFocus?: boolean | undefined;
	/** For a field that appears in an open dialog, where `autoFocus` has no effect. */
	readonly takesFocus?: boolean | undefined;
	/** For example that nothing is chosen. */
	readonly error?: string | undefined;
}

interface ChooseFieldProps extends SearchProps {
	readonly value: Choice | undefined;
	readonly onValue: (value: Choice) => void;
}

interface ChooseSeveralProps extends SearchProps {
	readonly values: readonly Choice[];
	readonly onValues: (values: readonly Choice[]) => void;
}

const SHOWN_MAX = 5;

export function ChooseField({ value, onValue, ...search }: ChooseFieldProps) {
	return (
		<Search {...search} chosen={value === undefined ? [] : [value]}>
			{(shown) => (
				<RadioGroup
					{...choicesOf(search, shown)}
					value={value?.id}
					onValue={(id) => {
						const found = shown.find((choice) => choice.id === id);
						if (found !== undefined) onValue(found);
					}}
				/>
			)}
		</Search>
	);
}

/** Chooses several records; what is chosen stays above the matches of the next search. */
export function ChooseSeveral({ values, onValues, ...search }: ChooseSeveralProps) {
	return (
		<Search {...search} chosen={values}>
			{(shown) => (
				<CheckboxGroup
					{...choicesOf(search, shown)}
					values={values.map(({ id }) => id)}
					onValues={(ids) => onValues(shown.filter(({ id }) => ids.includes(id)))}
				/>
			)}
		</Search>
	);
}

function choicesOf({ name, label, error }: SearchProps, shown: readonly Choice[]) {
	const options = shown.map(({ id, name: text, detail }) => ({ value: id, label: text, hint: detail }));
	return { name, label, hideLabel: true, error, options };
}

interface ChosenProps extends SearchProps {
	readonly chosen: readonly Choice[];
	readonly children: (shown: readonly Choice[]) => ComponentChildren;
}

function Search(props: ChosenProps) {
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
			<Matches query={query} chosen={props.chosen}>
				{props.children}
			</Matches>
		</div>
	);
}

interface MatchesProps extends Pick<ChosenProps, "chosen" | "children"> {
	readonly query: Query<Found>;
}

function Matches({ query: { data, error, isLoading, reload }, chosen, children }: MatchesProps) {
	const t = useWords("console-access").grants;
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton lines={3} />;
	const { choices, total } = data;
	const shown = [...chosen.filter((one) => !choices.some(({ id }) => id === one.id)), ...choices];
	if (shown.length === 0) return <p class="lk-muted">{t.nothingFound}</p>;
	return (
		<>
			{children(shown)}
			{total > choices.length && <p class="lk-muted">{t.moreMatches(total - choices.length)}</p>}
		</>
	);
}
