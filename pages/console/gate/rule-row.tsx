// A rule of a gate as a row of fields. Alt and an arrow key move it.

import { useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import type { FieldProps } from "../../ui/field.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import type { EditedRule } from "./edited-rules.ts";
import { holdersOf, isPermission, listedPermissions } from "./held-permissions.ts";

interface RuleRowProps {
	readonly rule: EditedRule;
	readonly index: number;
	readonly isLast: boolean;
	/** In the decision about the tested request; undefined for a rule below the one that decides. */
	readonly part: "decides" | "passedOver" | undefined;
	/** What is wrong with a field of the unsaved rule. */
	readonly errorOf: (field: string) => string | undefined;
	readonly roles: readonly Schemas["ApplicationRole"][] | undefined;
	readonly onCreate: (permission: string) => void;
	readonly onChange: (change: Partial<EditedRule>) => void;
	readonly onMove: (step: -1 | 1) => void;
	readonly onRemove: () => void;
}

export function RuleRow(props: RuleRowProps) {
	const { rule, index, isLast, part, errorOf, onChange, onMove, onRemove } = props;
	const t = useWords("console-gate");
	const number = index + 1;
	const onKeyDown = (event: KeyboardEvent): void => {
		if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
		event.preventDefault();
		onMove(event.key === "ArrowUp" ? -1 : 1);
	};
	const field = <Name extends keyof EditedRule>(name: Name) => ({
		name: `rules.${index}.${name}`,
		value: rule[name],
		onValue: (value: EditedRule[Name]) => onChange({ [name]: value } as Partial<EditedRule>),
		error: errorOf(`rules.${index}.${name}`),
	});
	const text = (name: "methods" | "path", placeholder: string) => (
		<td role="cell" data-label={t[name]}>
			<TextInput
				{...field(name)}
				label={t.fieldOf(t[name], number)}
				hideLabel
				code
				placeholder={placeholder}
			/>
		</td>
	);
	return (
		<tr
			role="row"
			data-rule={rule.key}
			data-part={part}
			aria-current={part === "decides" ? "true" : undefined}
			onKeyDown={onKeyDown}
		>
			<th role="rowheader" scope="row" data-label={t.rule}>
				{number} {part === "decides" && <Badge tone="info">{t.decides}</Badge>}
				{part === "passedOver" && <span class="lk-hidden">{t.passedOver}</span>}
			</th>
			{text("methods", t.allMethods)}
			{text("path", "/orders/*")}
			<td role="cell" data-label={t.needs}>
				<NeedsField
					{...field("needs")}
					label={t.fieldOf(t.needs, number)}
					roles={props.roles}
					onCreate={props.onCreate}
				/>
			</td>
			<td role="cell" data-label={t.flags}>
				<div class="lk-row">
					<Checkbox {...field("mfa")} label={t.mfa} />
					<Checkbox {...field("test")} label={t.test} />
				</div>
			</td>
			<td role="cell" data-label={t.order}>
				<div class="lk-row">
					<RowButton control="up" label={t.moveUp(number)} isOff={index === 0} onClick={() => onMove(-1)} />
					<RowButton control="down" label={t.moveDown(number)} isOff={isLast} onClick={() => onMove(1)} />
					<RowButton control="remove" label={t.removeRule(number)} onClick={onRemove} />
				</div>
			</td>
		</tr>
	);
}

const SIGNS = { up: "↑", down: "↓", remove: "×" };

interface RowButtonProps {
	/** Where the focus returns after the row has moved. */
	readonly control: keyof typeof SIGNS;
	readonly label: string;
	readonly isOff?: boolean;
	readonly onClick: () => void;
}

/** Keeps the focus when it can do nothing more, so that a keyboard user does not lose the place. */
function RowButton({ control, label, isOff = false, onClick }: RowButtonProps) {
	return (
		<button
			type="button"
			class="lk-button lk-button--secondary lk-button--small"
			data-control={control}
			aria-label={label}
			title={label}
			aria-disabled={isOff ? "true" : undefined}
			onClick={() => {
				if (!isOff) onClick();
			}}
		>
			<span aria-hidden="true">{SIGNS[control]}</span>
		</button>
	);
}

const FOR_ALL = ["public", "signed-in"] as const;
const SHOWN_MAX = 8;
/** Not a permission. */
const CREATE = "*";

/** What a rule needs: everyone, anyone who signed in, or a permission of the application, which can be created here. */
interface NeedsFieldProps extends Pick<FieldProps, "name" | "label" | "error"> {
	readonly value: string;
	readonly onValue: (value: string) => void;
	/** Undefined until they are loaded. */
	readonly roles: readonly Schemas["ApplicationRole"][] | undefined;
	readonly onCreate: (permission: string) => void;
}

function NeedsField({ roles, value, onValue, onCreate, ...field }: NeedsFieldProps) {
	const t = useWords("console-gate");
	const [open, setOpen] = useState<"all" | "matching">();
	const text = value.trim();
	const held = (permission: string) => holdersOf(permission, roles ?? []);
	const all = [...FOR_ALL, ...listedPermissions(roles ?? [])];
	const matching = all.filter((one) => one.toLowerCase().includes(text.toLowerCase()));
	// One that a role holds by a pattern is not listed.
	const isListed = all.includes(text);
	const isUnlisted = roles !== undefined && isPermission(text) && !isListed;
	const isHeld = isUnlisted && held(text).length > 0;
	const shown = (open === "all" ? all : matching).slice(0, SHOWN_MAX);
	const option = (one: string) => ({
		key: one,
		content: (
			<span class="lk-needs">
				<code>{one}</code>
				<span class="lk-muted lk-one-line">
					{one === "public" || one === "signed-in" ? t.forAll[one] : <bdi>{t.heldBy(held(one))}</bdi>}
				</span>
			</span>
		),
	});
	const options = [
		...(isHeld ? [option(text)] : []),
		...shown.map(option),
		...(isUnlisted && !isHeld ? [{ key: CREATE, content: t.createPermission(text) }] : []),
	];
	return (
		<Combobox
			{...field}
			hideLabel
			isFree
			code
			placeholder="orders:read"
			value={value}
			onValue={(typed) => {
				onValue(typed);
				setOpen("matching");
			}}
			isOpen={open !== undefined && options.length > 0}
			onOpen={() => setOpen("all")}
			onClose={() => setOpen(undefined)}
			options={options}
			onChoose={(key) => {
				setOpen(undefined);
				if (key === CREATE) onCreate(text);
				else onValue(key);
			}}
		/>
	);
}
