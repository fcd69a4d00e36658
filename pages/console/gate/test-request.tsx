// "Test a request": which rule applies to a request, and the decision of the gate.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { findApplications, findPeople } from "../grants/find-choices.ts";
import type { GateDraft, GateProps } from "./gate-props.ts";

const KINDS = ["nobody", "partner", "person", "program"] as const;
type Kind = (typeof KINDS)[number];

interface TestRequestProps extends GateProps {
	/** What the form above shows and has not saved; it decides instead of the gate. */
	readonly draft: GateDraft | undefined;
}

export function TestRequest({ application: { id }, gate, draft }: TestRequestProps) {
	const t = useWords("console-gate");
	const { values, set, field } = useFields({
		method: "GET",
		target: "/",
		caller: undefined as Choice | undefined,
	});
	const [kind, setKind] = useState<Kind>("nobody");
	const [isUnchosen, setUnchosen] = useState(false);
	const [explained, setExplained] = useState<Explained>();
	const explain = useAction(async () => {
		setExplained(undefined);
		const named =
			kind === "nobody" || values.caller === undefined ? {} : { caller: `${kind}:${values.caller.id}` };
		const asked = { method: values.method.trim().toUpperCase(), target: values.target.trim(), ...named };
		const body = { ...asked, ...(draft && { draft }) };
		const { data } = await call("POST /applications/{id}/gate/explain", { path: { id }, body });
		setExplained({ ...data, draft });
	});
	const finders = { partner: findClientsOf(id), person: findPeople, program: findApplications };
	return (
		<Card title={t.testRequest} description={t.testText}>
			<Form
				submitLabel={t.runTest}
				action={explain}
				onSubmit={() => {
					const isIncomplete = kind !== "nobody" && values.caller === undefined;
					setUnchosen(isIncomplete);
					return isIncomplete ? undefined : explain.run();
				}}
			>
				<TextInput {...field("method")} label={t.method} code required />
				<TextInput {...field("target")} label={t.target} hint={t.targetHint} code required />
				<Select
					name="kind"
					label={t.caller}
					value={kind}
					onValue={(value) => {
						setKind(value);
						set({ caller: undefined });
						setUnchosen(false);
					}}
					options={KINDS.map((value) => ({ value, label: value === "nobody" ? t.nobody : t.aKind[value] }))}
				/>
				{kind !== "nobody" && (
					<ChooseField
						key={kind}
						{...field("caller")}
						label={t.findCaller}
						source={`gate caller ${kind} ${id}`}
						find={finders[kind]}
						error={isUnchosen ? t.chooseCaller : undefined}
					/>
				)}
			</Form>
			{explained !== undefined && (
				<Decision explained={explained} rules={explained.draft?.rules ?? gate.rules} />
			)}
		</Card>
	);
}

type Explained = Schemas["GateExplanation"] & Pick<TestRequestProps, "draft">;

interface DecisionProps {
	readonly explained: Explained;
	readonly rules: Schemas["Gate"]["rules"];
}

function Decision({ explained, rules }: DecisionProps) {
	const t = useWords("console-gate");
	const { allowed, code, message, reason, rule: position, permissions } = explained;
	const rule = position === null ? undefined : rules[position];
	const known = reason === null ? undefined : t.reasons[reason];
	return (
		<Notice tone={allowed ? "success" : "danger"} title={allowed ? t.passes : t.refused}>
			{explained.draft !== undefined && <p>{t.testedDraft}</p>}
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
					{ term: t.reason, value: known ?? "" },
					{
						term: t.code,
						value:
							code === null ? (
								""
							) : (
								<>
									<code>{code}</code> <bdi>{message}</bdi>
								</>
							),
					},
					{
						term: t.permissions,
						value: permissions.length === 0 ? "" : <code>{permissions.join(" ")}</code>,
					},
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
