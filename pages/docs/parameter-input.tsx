// The field of a parameter: a select if the values are known, otherwise a text input.

import { Select } from "../ui/select.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { keyOf } from "./call.ts";
import type { OpenApi, Parameter } from "./openapi.ts";
import { exampleOf, resolve } from "./schema.ts";

export interface ParameterInputProps {
	readonly spec: OpenApi;
	readonly parameter: Parameter;
	readonly value: string;
	readonly onValue: (value: string) => void;
}

export function ParameterInput({ spec, parameter, value, onValue }: ParameterInputProps) {
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
