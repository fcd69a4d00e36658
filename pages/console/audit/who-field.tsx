// Who acted, or on whom: a person from a list, found by a part of the name, or the full name as it was at the time.

import { useEffect, useState } from "preact/hooks";
import type { ListState } from "../../api/list-state.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useSettled } from "../../api/settled.ts";
import { Combobox } from "../../ui/combobox.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Icon } from "../../ui/icon.tsx";
import { close } from "../../ui/icons.ts";
import { Identity } from "../../ui/identity.tsx";
import { useWords } from "../../words/words.ts";
import { findPeople } from "../grants/find-choices.ts";
import { Actor } from "./actor.tsx";
import { nameOfRef } from "./refs.ts";

interface WhoFieldProps {
	readonly side: "actor" | "target";
	readonly label: string;
	readonly state: ListState;
	/** The API's error about the name. */
	readonly error: string | undefined;
	/** For the name of an id that a link of another screen set. */
	readonly events: readonly Schemas["AuditEvent"][];
}

/** Shorter texts match too much. */
const SEARCHED_MIN = 2;
const SHOWN_MAX = 5;
const FULL_NAME = "full name";

/** Names of people chosen here, by ref: events of a period may have none of them. */
export const chosenNames = new Map<string, string>();

export function WhoField(props: WhoFieldProps) {
	const { side, state } = props;
	const ref = state.values[side] ?? "";
	return ref === "" ? <Search {...props} /> : <Chosen {...props} key={ref} value={ref} />;
}

function Search({ side, label, state, error }: WhoFieldProps) {
	const t = useWords("console-audit");
	const name = `${side}_name`;
	const filtered = state.values[name] ?? "";
	const [typed, setTyped] = useState(filtered);
	useEffect(() => setTyped(filtered), [filtered]);
	const text = typed.trim();
	const isOpen = text !== "" && text !== filtered;
	const q = useSettled(isOpen ? typed : "");
	const found = useQuery(q.length < SEARCHED_MIN ? undefined : `audit people ${q}`, (signal) =>
		findPeople(q, SHOWN_MAX, signal),
	);
	const people = q === text ? (found.data?.choices ?? []) : [];
	const choose = (key: string) => {
		if (key === FULL_NAME) return state.set(name, text);
		chosenNames.set(`user:${key}`, people.find(({ id }) => id === key)?.name ?? "");
		setTyped("");
		state.set(name, "");
		state.set(side, `user:${key}`);
	};
	return (
		<Combobox
			name={name}
			label={label}
			value={typed}
			onValue={(value) => {
				setTyped(value);
				if (value.trim() === "") state.set(name, "");
			}}
			error={error}
			placeholder={t.whoExample}
			options={[
				{ key: FULL_NAME, content: t.fullName(text) },
				...people.map(({ id, ...person }) => ({ key: id, content: <Identity {...person} /> })),
			]}
			onChoose={choose}
			isOpen={isOpen}
			onClose={() => setTyped(filtered)}
			note={found.error === undefined ? t.fullNameText : <ErrorText error={found.error} />}
		/>
	);
}

/** A filter by ID, removable. */
function Chosen({ side, label, state, events, value }: WhoFieldProps & { readonly value: string }) {
	const t = useWords("console-audit");
	const known =
		chosenNames.get(value) ?? events.find((event) => event[side] === value)?.[`${side}_name`] ?? "";
	return (
		<div class="lk-field">
			<div class="lk-field__head">
				<span class="lk-field__label">{label}</span>
			</div>
			<button
				type="button"
				class="lk-audit-chosen"
				title={t.removeFilter}
				onClick={() => state.set(side, "")}
			>
				<Actor of={value} name={known} />
				<span class="lk-audit-chosen__name">
					<span class="lk-hidden">{side === "actor" ? t.onlyBy : t.onlyOn} </span>
					<bdi>{nameOfRef(t, value, known)}</bdi>
				</span>
				<Icon shape={close} />
			</button>
		</div>
	);
}
