// "Test a request": which rule applies to a request, and the decision of the gate.

import { useEffect } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { findApplications, findPeople } from "../grants/find-choices.ts";
import type { GateDraft, GateProps, Tested } from "./gate-props.ts";
import { useLatest } from "./use-latest.ts";

const KINDS = ["nobody", "partner", "person", "program"] as const;

interface TestRequestProps extends GateProps {
	/** What the form shows and has not saved; it decides instead of the gate. */
	readonly draft: GateDraft | undefined;
	/** Counts changes of the roles, after which the decision may differ. */
	readonly round: number;
	readonly onTested: (tested: Tested) => void;
}

/** Decides again after each change, here and in the form. */
export function TestRequest({ application: { id }, gate, draft, round, onTested }: TestRequestProps) {
	const t = useWords("console-gate");
	const { values, set, field } = useFields({
		method: "GET",
		target: "/",
		kind: "nobody" as (typeof KINDS)[number],
		caller: undefined as Choice | undefined,
	});
	const { kind } = values;
	const isUnchosen = kind !== "nobody" && values.caller === undefined;
	const asked = {
		method: values.method.trim().toUpperCase(),
		target: values.target.trim(),
		...(values.caller && { caller: `${kind}:${values.caller.id}` }),
		...(draft && { draft }),
	};
	const { question, answer, error } = useLatest(
		isUnchosen ? undefined : asked,
		async (body) => (await call("POST /applications/{id}/gate/explain", { path: { id }, body })).data,
		round,
	);
	useEffect(() => {
		if (error !== undefined) onTested({ error });
		else if (answer !== undefined)
			onTested({ rule: answer.rule ?? undefined, isUnmatched: answer.code === "gate.no_rule" });
	}, [answer, error]);
	const details = error?.details ?? [];
	const errorOf = (name: string) => details.find((detail) => detail.field === name)?.message;
	const isOfDraft = details.some((detail) => detail.field.startsWith("draft."));
	const finders = { partner: findClientsOf(id), person: findPeople, program: findApplications };
	return (
		<Card
			title={t.testRequest}
			description={t.testText}
			actions={<Badge tone={draft ? "warning" : "neutral"}>{draft ? t.draft : t.live}</Badge>}
		>
			<div class="lk-gate__call">
				<TextInput {...field("method")} label={t.method} error={errorOf("method")} code required />
				<TextInput
					{...field("target")}
					label={t.path}
					hint={t.targetHint}
					error={errorOf("target")}
					code
					required
				/>
			</div>
			<Select
				{...field("kind")}
				onValue={(chosen) => set({ kind: chosen, caller: undefined })}
				label={t.caller}
				options={KINDS.map((value) => ({ value, label: value === "nobody" ? t.nobody : t.aKind[value] }))}
			/>
			{kind !== "nobody" && (
				<ChooseField
					key={kind}
					{...field("caller")}
					label={t.findCaller}
					source={`gate caller ${kind} ${id}`}
					find={finders[kind]}
				/>
			)}
			{isUnchosen ? (
				<p class="lk-muted">{t.chooseCaller}</p>
			) : (
				<>
					{isOfDraft && <Notice tone="warning">{t.draftInvalid}</Notice>}
					{details.length === 0 && <ErrorNotice error={error} />}
					{error === undefined && answer !== undefined && (
						<Decision explained={answer} rules={question?.draft?.rules ?? gate.rules} />
					)}
				</>
			)}
		</Card>
	);
}

interface DecisionProps {
	readonly explained: Schemas["GateExplanation"];
	readonly rules: Schemas["Gate"]["rules"];
}

function Decision({ explained, rules }: DecisionProps) {
	const t = useWords("console-gate");
	const { allowed, code, message, reason, rule: position, permissions } = explained;
	const rule = position === null ? undefined : rules[position];
	const known = reason === null ? undefined : t.reasons[reason];
	return (
		<Notice tone={allowed ? "success" : "danger"} title={allowed ? t.passes : t.refused}>
			<DescriptionList
				items={[
					{
						term: t.rule,
						value:
							position === null ? (
								t.noRule
							) : (
								<>
									{position + 1}{" "}
									<code dir="ltr">
										{[rule?.methods?.join(", "), rule?.path, rule?.needs].filter(Boolean).join(" · ")}
									</code>
								</>
							),
					},
					known !== undefined && { term: t.reason, value: known },
					code !== null && {
						term: t.code,
						value: (
							<>
								<code>{code}</code> <bdi>{message}</bdi>
							</>
						),
					},
					permissions.length > 0 && { term: t.permissions, value: <code>{permissions.join(" ")}</code> },
				]}
			/>
		</Notice>
	);
}

function findClientsOf(app_id: string): typeof findPeople {
	return async (q, page_size, signal) => {
		const { data, total } = await call("GET /api-clients", { query: { q, app_id, page_size }, signal });
		return { choices: data.map(({ id, name, api_key }) => ({ id, name, detail: api_key })), total };
	};
}
