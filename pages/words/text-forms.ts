// Texts of the API that have values in them, in another language.

/** The first form that fits counts; `$1` in the text is what its first group holds. */
export type TextForms = readonly (readonly [form: RegExp, text: string])[];

/** Undefined where no form fits. */
export function byForm(forms: TextForms, source: string): string | undefined {
	for (const [form, text] of forms) if (form.test(source)) return source.replace(form, text);
	return undefined;
}
