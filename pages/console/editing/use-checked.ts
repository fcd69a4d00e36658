// A form that is checked before it is sent: `<Form {...checked}>`, `<FormDialog {...checked}>`.

import { useState } from "preact/hooks";
import type { Submission } from "../../ui/form.tsx";

type Problems = Readonly<Record<string, string>>;

/** @param find what is missing or malformed, by the name of the field */
export function useChecked<Action extends Submission>(action: Action, find: () => Problems) {
	const [errors, setErrors] = useState<Problems>();
	const onSubmit = () => {
		const found = find();
		const isGood = Object.keys(found).length === 0;
		setErrors(isGood ? undefined : found);
		return isGood ? action.run() : undefined;
	};
	return { action, errors, onSubmit };
}
