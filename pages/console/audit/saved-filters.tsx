// Filters of the audit trail that the user saved in this browser, without their period.

import { useState } from "preact/hooks";
import type { ListState } from "../../api/list-state.ts";
import { session } from "../../api/session.ts";
import { readStored, writeStored } from "../../stored.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { close, plus } from "../../ui/icons.ts";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { openDialog } from "../dialogs.tsx";

interface SavedFilter {
	readonly name: string;
	readonly values: Readonly<Record<string, string>>;
}

const NAME_MAX = 40;
const SAVED_MAX = 20;
const PERIOD = ["from", "to"];

interface SavedFiltersProps {
	readonly state: ListState;
	/** The filters that may be saved. */
	readonly names: readonly string[];
}

export function SavedFilters({ state, names }: SavedFiltersProps) {
	const t = useWords("console-audit");
	const [saved, setSaved] = useState(() => readSaved(names));
	const current = filtersOf(state.values, names);
	const keep = (filters: readonly SavedFilter[]) => {
		writeStored(storedKey(), filters.length === 0 ? null : JSON.stringify(filters));
		setSaved(filters);
	};
	const apply = ({ values }: SavedFilter) => {
		const period = Object.entries(state.values).filter(([name]) => PERIOD.includes(name));
		state.reset();
		for (const [name, value] of [...period, ...Object.entries(values)]) state.set(name, value);
	};
	const isShown = (filter: SavedFilter) => textOf(filter.values) === textOf(current);
	const canSave = textOf(current) !== "[]" && !saved.some(isShown);
	if (saved.length === 0 && !canSave) return null;
	const askName = () =>
		openDialog((close) => (
			<SaveFilter
				isFull={(name) => saved.length >= SAVED_MAX && !saved.some((one) => one.name === name)}
				onSave={(name) => {
					keep([...saved.filter((one) => one.name !== name), { name, values: current }]);
					announce(t.filterSaved);
					close();
				}}
				onClose={close}
			/>
		));
	return (
		<div class="lk-audit-saved">
			{saved.map((filter) => (
				<span key={filter.name} class="lk-audit-saved__filter">
					<button
						type="button"
						class="lk-audit-saved__apply"
						aria-pressed={isShown(filter)}
						onClick={() => apply(filter)}
					>
						<bdi>{filter.name}</bdi>
					</button>
					<button
						type="button"
						class="lk-audit-saved__remove"
						aria-label={t.removeSaved(filter.name)}
						onClick={() => {
							keep(saved.filter((one) => one !== filter));
							announce(t.savedRemoved, "success", () => keep(saved));
						}}
					>
						<Icon shape={close} />
					</button>
				</span>
			))}
			{canSave && (
				<Button variant="quiet" size="small" icon={plus} onClick={askName}>
					{t.saveFilter}
				</Button>
			)}
		</div>
	);
}

interface SaveFilterProps {
	readonly isFull: (name: string) => boolean;
	readonly onSave: (name: string) => void;
	readonly onClose: () => void;
}

function SaveFilter({ isFull, onSave, onClose }: SaveFilterProps) {
	const t = useWords("console-audit");
	const { values, field } = useFields({ name: "" });
	const [error, setError] = useState<string>();
	const text = values.name.trim();
	const problem =
		text === "" || [...text].length > NAME_MAX
			? t.filterNameLimit(NAME_MAX)
			: isFull(text)
				? t.savedMax(SAVED_MAX)
				: undefined;
	return (
		<FormDialog
			onClose={onClose}
			title={t.saveFilter}
			submitLabel={t.save}
			size="small"
			errors={error === undefined ? {} : { name: error }}
			onSubmit={() => (problem === undefined ? onSave(text) : setError(problem))}
		>
			<TextInput
				{...field("name")}
				label={t.filterName}
				hint={t.filterNameHint}
				limit={NAME_MAX}
				required
				autoFocus
			/>
		</FormDialog>
	);
}

/** Another user of this browser does not see them. */
function storedKey(): string {
	return `latchkey.audit-filters.${session.value.user?.id}`;
}

/** Filters that this version does not know are left out. */
function readSaved(names: readonly string[]): readonly SavedFilter[] {
	const stored = parsed(readStored(storedKey()) ?? "[]");
	if (!Array.isArray(stored)) return [];
	return stored.flatMap((one: Partial<SavedFilter> | null) =>
		typeof one?.name === "string" && typeof one.values === "object" && one.values !== null
			? [{ name: one.name, values: filtersOf(one.values, names) }]
			: [],
	);
}

/** Undefined if another program wrote it. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function filtersOf(
	values: Readonly<Record<string, unknown>>,
	names: readonly string[],
): Readonly<Record<string, string>> {
	const filters = names.flatMap((name) => {
		const value = values[name];
		return typeof value === "string" && value !== "" && !PERIOD.includes(name) ? [[name, value]] : [];
	});
	return Object.fromEntries(filters);
}

function textOf(values: Readonly<Record<string, string>>): string {
	return JSON.stringify(Object.entries(values).sort());
}
