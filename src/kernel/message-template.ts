// Texts with `{name}` placeholders, for messages that callers receive as a code and parameters.

/** Lists are joined with commas. */
export type TemplateValue = string | number | readonly string[];

/** The names in `{…}` of a text. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
	? Name | NamesIn<Rest>
	: never;
/** The parameters of a text: no argument if it has no placeholders, otherwise exactly one value for each. */
export type ParametersIn<Text extends string, Value = TemplateValue> = [NamesIn<Text>] extends [never]
	? []
	: [parameters: Readonly<Record<NamesIn<Text>, Value>>];

/** Replaces each `{name}`. Placeholders within a value are not replaced. */
export function fillTemplate(text: string, params: Readonly<Record<string, TemplateValue>>): string {
	return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		const value = params[name] ?? "";
		return typeof value === "object" ? value.join(", ") : String(value);
	});
}
