// A rule of a gate as a row of fields. Alt and an arrow key move it.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import type { EditedRule } from "./edited-rules.ts";
import { NeedsField } from "./needs-field.tsx";

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
	const text = (field: "methods" | "path", placeholder: string) => (
		<td role="cell" data-label={t[field]}>
			<TextInput
				name={`rules.${index}.${field}`}
				label={t.fieldOf(t[field], number)}
				hideLabel
				code
				placeholder={placeholder}
				value={rule[field]}
				error={errorOf(`rules.${index}.${field}`)}
				onValue={(value) => onChange({ [field]: value })}
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
					name={`rules.${index}.needs`}
					label={t.fieldOf(t.needs, number)}
					value={rule.needs}
					error={errorOf(`rules.${index}.needs`)}
					onValue={(needs) => onChange({ needs })}
					roles={props.roles}
					onCreate={props.onCreate}
				/>
			</td>
			<td role="cell" data-label={t.flags}>
				<div class="lk-row">
					<Checkbox
						name={`rules.${index}.mfa`}
						label={t.mfa}
						value={rule.mfa}
						onValue={(mfa) => onChange({ mfa })}
					/>
					<Checkbox
						name={`rules.${index}.test`}
						label={t.test}
						value={rule.test}
						onValue={(test) => onChange({ test })}
					/>
				</div>
			</td>
			<td role="cell" data-label={t.order}>
				<div class="lk-row">
					<RowButton
						control="up"
						label={t.moveUp(number)}
						sign="↑"
						isOff={index === 0}
						onClick={() => onMove(-1)}
					/>
					<RowButton
						control="down"
						label={t.moveDown(number)}
						sign="↓"
						isOff={isLast}
						onClick={() => onMove(1)}
					/>
					<RowButton
						control="remove"
						label={t.removeRule(number)}
						sign="×"
						isOff={false}
						onClick={onRemove}
					/>
				</div>
			</td>
		</tr>
	);
}

interface RowButtonProps {
	/** Where the focus returns after the row has moved. */
	readonly control: "up" | "down" | "remove";
	readonly label: string;
	readonly sign: string;
	readonly isOff: boolean;
	readonly onClick: () => void;
}

/** Keeps the focus when it can do nothing more, so that a keyboard user does not lose the place. */
function RowButton({ control, label, sign, isOff, onClick }: RowButtonProps) {
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
			<span aria-hidden="true">{sign}</span>
		</button>
	);
}
