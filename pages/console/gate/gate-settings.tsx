// The rules of a gate as an editable table, and its other settings, saved together.

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { ApiError } from "../../api/error.ts";
import { useAction, useQuery } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Form, type FormError } from "../../ui/form.tsx";
import { plus } from "../../ui/icons.ts";
import { optionsOf } from "../../ui/options.ts";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { useWords } from "../../words/words.ts";
import { openDialog } from "../dialogs.tsx";
import { SaveBar } from "../editing/save-bar.tsx";
import { useEdits } from "../editing/use-edits.ts";
import { loadRoles } from "../grants/roles-field.tsx";
import { CreatePermissionDialog } from "./create-permission-dialog.tsx";
import { type EditedRule, editedRule, moved, ruleOf } from "./edited-rules.ts";
import type { GateDraft, GateProps, Tested } from "./gate-props.ts";
import { listedPermissions } from "./held-permissions.ts";
import { RuleRow } from "./rule-row.tsx";
import { RuleTemplates } from "./rule-templates.tsx";

const KINDS = ["partner", "person", "program"] as const;
const NEW_RULE = { path: "", needs: "signed-in" };
const PREFLIGHTS = { methods: ["OPTIONS"], path: "/*", needs: "public" };

interface GateSettingsProps extends GateProps {
	readonly onSaved: () => void;
	/** The settings as they would be saved; undefined without changes. */
	readonly onDraft: (draft: GateDraft | undefined) => void;
	readonly onRolesChanged: () => void;
	readonly tested: Tested;
}

export function GateSettings(props: GateSettingsProps) {
	const { gate, onSaved, onDraft, tested } = props;
	const { id } = props.application;
	const t = useWords("console-gate");
	const form = useUniqueId();
	const { values, set, field, isChanged, discard, saved } = useEdits(useMemo(() => fieldsOf(gate), [gate]));
	const { rules, accept } = values;
	const setRules = (edited: typeof rules) => set({ rules: edited });
	const body = useMemo(
		() => ({
			...values,
			rules: values.rules.map(ruleOf),
			browser_origin: values.browser_origin === "" ? null : values.browser_origin,
			cors_origins: values.cors_origins.split(/[\s,]+/).filter((origin) => origin !== ""),
		}),
		[values],
	);
	useEffect(() => onDraft(isChanged ? body : undefined), [body, isChanged, onDraft]);
	const roles = useQuery(`GET /applications/${id}/roles all`, (signal) => loadRoles(id, signal));
	const save = useAction(async () => {
		await call("PUT /applications/{id}/gate", { path: { id }, body });
		saved(values);
		announce(t.saved);
		onSaved();
	});
	// With the permission as it was sent.
	const error = useMemo(() => save.error && withPermissions(save.error, rules, t.notHeld), [save.error]);
	const errorOf = useMemo(() => errorsOf(tested.error, rules, t.notHeld), [tested]);
	// The rule itself: it may move before the next decision.
	const decisive = useMemo(() => rules[tested.rule ?? -1]?.key, [tested]);
	const decidesAt = rules.findIndex(({ key }) => key === decisive);
	const partOf = (index: number) => {
		if (tested.isUnmatched) return "passedOver";
		return index === decidesAt ? "decides" : index < decidesAt ? "passedOver" : undefined;
	};
	const rolesChanged = () => {
		roles.reload();
		props.onRolesChanged();
	};
	const createPermission = (permission: string) =>
		openDialog((close) => (
			<CreatePermissionDialog
				appId={id}
				permission={permission}
				roles={roles.data ?? []}
				onClose={close}
				onCreated={rolesChanged}
			/>
		));
	const table = useRef<HTMLTableElement>(null);
	const focused = useRef<string>();
	useLayoutEffect(() => {
		if (focused.current === undefined) return;
		table.current?.querySelector<HTMLElement>(focused.current)?.focus();
		focused.current = undefined;
	}, [rules]);
	const move = (from: number, step: -1 | 1) => {
		const next = moved(rules, from, from + step);
		if (next === rules) return;
		// A moved row loses the focus: the browser removes and inserts its element.
		const control = document.activeElement?.getAttribute("data-control");
		const field = document.activeElement?.getAttribute("name")?.split(".").at(-1);
		focused.current = `[data-rule="${rules[from]?.key}"] ${control ? `[data-control="${control}"]` : `[name$=".${field}"]`}`;
		setRules(next);
		announce(t.ruleMoved(from + step + 1));
	};
	const add = (rule: EditedRule, at: number) => {
		focused.current = `[data-rule="${rule.key}"] input`;
		setRules(rules.toSpliced(at, 0, rule));
	};
	return (
		<div class="lk-editing lk-gate-settings">
			<Card title={t.rules} description={t.rulesText}>
				<Form id={form} action={save} error={error} onSubmit={() => (isChanged ? save.run() : undefined)}>
					{rules.length === 0 ? (
						<>
							<p class="lk-muted">
								{t.noRules} {t.templatesText}
							</p>
							<RuleTemplates
								permissions={listedPermissions(roles.data ?? [])}
								onChoose={(template) => {
									const edited = template.map(editedRule);
									focused.current = `[data-rule="${edited[0]?.key}"] input`;
									setRules(edited);
								}}
							/>
						</>
					) : (
						<div class="lk-rules-frame">
							<table class="lk-rules" role="table" ref={table}>
								<caption class="lk-hidden">{t.rules}</caption>
								<thead role="rowgroup">
									<tr role="row">
										{[t.rule, t.methods, t.path, t.needs, t.flags, t.order].map((heading) => (
											<th key={heading} role="columnheader" scope="col">
												{heading}
											</th>
										))}
									</tr>
								</thead>
								<tbody role="rowgroup">
									{rules.map((rule, index) => (
										<RuleRow
											key={rule.key}
											rule={rule}
											index={index}
											isLast={index === rules.length - 1}
											part={partOf(index)}
											errorOf={errorOf}
											roles={roles.data}
											onCreate={createPermission}
											onChange={(change) => setRules(rules.with(index, { ...rule, ...change }))}
											onMove={(step) => move(index, step)}
											onRemove={() => {
												const next = rules[index + 1] ?? rules[index - 1];
												focused.current = `[data-rule="${next?.key}"] [data-control="remove"]`;
												setRules(rules.toSpliced(index, 1));
												announce(t.ruleRemoved(index + 1));
											}}
										/>
									))}
								</tbody>
							</table>
						</div>
					)}
					<p class="lk-field__hint">{t.rulesHint}</p>
					<div class="lk-row">
						<Button icon={plus} onClick={() => add(editedRule(NEW_RULE), rules.length)}>
							{t.addRule}
						</Button>
						<Button variant="quiet" onClick={() => add(editedRule(PREFLIGHTS), 0)}>
							{t.addPreflights}
						</Button>
					</div>
					<CheckboxGroup
						name="accept"
						label={t.accept}
						hint={t.acceptHint}
						values={accept}
						onValues={(kinds) => set({ accept: [...kinds] })}
						options={optionsOf(KINDS, t.kinds)}
					/>
					<TextInput
						{...field("browser_origin")}
						error={errorOf("browser_origin")}
						label={t.browserOrigin}
						hint={t.browserOriginHint}
						type="url"
						optional
					/>
					<TextInput
						{...field("cors_origins")}
						error={errorOf("cors_origins")}
						label={t.corsOrigins}
						hint={t.corsOriginsHint}
						optional
					/>
					<Checkbox {...field("own_tokens")} label={t.ownTokens} hint={t.ownTokensHint} />
					<Checkbox {...field("statement")} label={t.statement} hint={t.statementHint} />
				</Form>
			</Card>
			<SaveBar form={form} isShown={isChanged} action={save} onDiscard={discard} />
		</div>
	);
}

/** Names each permission that no role has. */
function withPermissions(
	error: ApiError,
	rules: readonly EditedRule[],
	textOf: (permission: string) => string,
	within = "",
): FormError {
	const { code, message, apiText, retryAfterSeconds } = error;
	const details = error.details.map((detail) => {
		const index = /^rules\.(\d+)\.needs$/.exec(detail.field.slice(within.length))?.[1];
		const needs = index === undefined ? undefined : rules[Number(index)]?.needs;
		return detail.code === "not_held" && needs !== undefined ? { ...detail, message: textOf(needs) } : detail;
	});
	return { code, message, apiText, retryAfterSeconds, details };
}

const WITHIN = "draft.";

/** What the API finds wrong with the draft, by field. What the user has not filled in yet is no error before the user saves. */
function errorsOf(
	error: ApiError | undefined,
	rules: readonly EditedRule[],
	textOf: (permission: string) => string,
): (field: string) => string | undefined {
	const details = error === undefined ? [] : (withPermissions(error, rules, textOf, WITHIN).details ?? []);
	const found = new Map(
		details.flatMap(({ field, message }) => {
			const [list = "", index = "", part = ""] = field.slice(WITHIN.length).split(".");
			const isEmpty = list === "rules" && rules[Number(index)]?.[part as "path"] === "";
			return !field.startsWith(WITHIN) || isEmpty ? [] : [[nameOf(list, index, part), message] as const];
		}),
	);
	return (field) => found.get(field);
}

/** An entry of a list that is one field belongs to the list. */
function nameOf(list: string, index: string, part: string): string {
	return list === "rules" ? `rules.${index}.${part}` : list;
}

/** As typed. */
function fieldsOf({ rules, accept, browser_origin, statement, own_tokens, cors_origins }: GateProps["gate"]) {
	const edited: readonly EditedRule[] = rules.map(editedRule);
	const texts = { browser_origin: browser_origin ?? "", cors_origins: cors_origins.join(" ") };
	return { rules: edited, accept, ...texts, statement, own_tokens };
}
