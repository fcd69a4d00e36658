// The form of a call: parameters and body, with the response below.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { Select } from "../ui/select.tsx";
import { TextArea } from "../ui/text-area.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import type { Api, Operation } from "./api.ts";
import { callOf, inputsOf, keyOf, mistakesIn, type Values } from "./call.ts";
import { CallResponseView } from "./call-response.tsx";
import type { OpenApi, Parameter } from "./openapi.ts";
import { exampleOf, resolve } from "./schema.ts";
import { sendCall } from "./send-call.ts";

/** More optional parameters are collapsed. */
const OPEN_MAX = 3;

/** An endpoint, and the values entered for it. */
export interface CallInput {
	readonly api: Api;
	readonly operation: Operation;
	readonly values: Values;
	readonly onValue: (key: string, value: string) => void;
}

interface CallFormProps extends CallInput {
	readonly withToken: boolean;
	/** The identity that sends it. */
	readonly note: ComponentChildren;
}

export function CallForm(props: CallFormProps) {
	const { api, operation, values, withToken, note } = props;
	const t = useWords("docs");
	const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
	const [isAsking, setAsking] = useState(false);
	const call = callOf(api, operation, values, { isForCode: false });
	const [response, setResponse] = useState<Awaited<ReturnType<typeof sendCall>>>();
	const sending = useAction(async () => setResponse(await sendCall(call, { withToken })));
	const isDeletion = operation.method === "DELETE";
	const submit = () => {
		const found = mistakesIn(operation, values, t);
		setErrors(found);
		if (Object.keys(found).length > 0) return;
		if (isDeletion) setAsking(true);
		else sending.run().catch(reportError);
	};
	const confirm = () => {
		setAsking(false);
		sending.run().catch(reportError);
	};
	return (
		<>
			<p class="lk-muted">{note}</p>
			{operation.method !== "GET" && <Notice tone="warning">{t.changesData}</Notice>}
			<Form action={sending} onSubmit={submit} errors={errors}>
				<Inputs {...props} />
				<div>
					<Button type="submit" variant={isDeletion ? "danger" : "primary"} pending={sending.isPending}>
						{t.send(operation.method)}
					</Button>
				</div>
			</Form>
			{isAsking && (
				<FormDialog
					tone="danger"
					size="small"
					onClose={() => setAsking(false)}
					title={t.confirmTitle}
					submitLabel={t.send(operation.method)}
					typeToConfirm={operation.id}
					onSubmit={confirm}
					text={
						<>
							{t.confirmText}{" "}
							<code dir="ltr">
								{call.method} {call.target}
							</code>
						</>
					}
				/>
			)}
			{response !== undefined && <CallResponseView response={response} />}
		</>
	);
}

function Inputs({ api, operation, values, onValue }: CallInput) {
	const t = useWords("docs");
	const inputs = inputsOf(operation);
	const optional = inputs.filter(({ required }) => required !== true);
	const inputOf = (parameter: Parameter) => {
		const key = keyOf(parameter);
		return (
			<ParameterInput
				key={key}
				spec={api.spec}
				parameter={parameter}
				value={values[key] ?? ""}
				onValue={(value) => onValue(key, value)}
			/>
		);
	};
	return (
		<>
			{inputs.filter(({ required }) => required === true).map(inputOf)}
			{optional.length > 0 && (
				<details class="docs-try-optional" open={optional.length <= OPEN_MAX}>
					<summary>{t.optionalParameters(optional.length)}</summary>
					<div class="lk-stack">{optional.map(inputOf)}</div>
				</details>
			)}
			{operation.body !== undefined && (
				<TextArea
					name="body"
					label={t.body}
					value={values.body ?? ""}
					onValue={(value) => onValue("body", value)}
					rows={Math.min(16, (values.body ?? "").split("\n").length + 1)}
					code
				/>
			)}
		</>
	);
}

/** The field of a parameter: a select if the values are known, otherwise a text input. */
interface ParameterInputProps {
	readonly spec: OpenApi;
	readonly parameter: Parameter;
	readonly value: string;
	readonly onValue: (value: string) => void;
}

function ParameterInput({ spec, parameter, value, onValue }: ParameterInputProps) {
	const t = useWords("docs");
	const schema = resolve(spec, parameter.schema);
	const field = { name: keyOf(parameter), label: parameter.name, value, onValue };
	if (schema.enum !== undefined) {
		const values = schema.enum.map((one) => ({ value: String(one), label: String(one) }));
		const none = { value: "", label: parameter.required === true ? "" : t.any };
		return <Select {...field} options={[none, ...values]} />;
	}
	return (
		<TextInput
			{...field}
			placeholder={String(exampleOf(spec, parameter.schema))}
			autoComplete="off"
			required={parameter.required === true}
			code
		/>
	);
}
