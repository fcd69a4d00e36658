// The options of a `Select`, a `RadioGroup` or a `CheckboxGroup`: `optionsOf(KINDS, t.kinds)`.

export function optionsOf<Value extends string>(
	values: readonly Value[],
	labels: Readonly<Record<Value, string>>,
	hints?: Readonly<Record<Value, string>>,
) {
	return values.map((value) => ({ value, label: labels[value], hint: hints?.[value] }));
}
