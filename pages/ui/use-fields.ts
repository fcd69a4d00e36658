// The values of a form, and the properties that connect a control to one: `<TextInput {...field("name")} label={t.name} />`.

import { useState } from "preact/hooks";

/** `name` is the API's field name, which maps errors to the control. */
export function connectFields<Values extends object>(values: Values, set: (change: Partial<Values>) => void) {
	return <Name extends keyof Values & string>(name: Name) => ({
		name,
		value: values[name],
		onValue: (value: Values[Name]) => set({ [name]: value } as unknown as Partial<Values>),
	});
}

export function useFields<Values extends object>(initial: Values | (() => Values)) {
	const [values, setValues] = useState(initial);
	const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }));
	return { values, set, field: connectFields(values, set) };
}
