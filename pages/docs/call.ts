// Builds a call from the entered values, and finds what is missing.

import { type Api, exampleIn, type Operation } from "./api.ts";
import type { Parameter } from "./openapi.ts";
import { exampleOf } from "./schema.ts";

/** By place and name, such as `path.id`; `body` is JSON text. */
export type Values = Readonly<Record<string, string>>;

export interface Call {
	readonly method: string;
	/** Path and query. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	/** JSON text. */
	readonly body: string | undefined;
}

export function keyOf({ in: place, name }: Pick<Parameter, "in" | "name">): string {
	return `${place}.${name}`;
}

/** Parameters that the reader enters; the code adds those of the signature and of the browser session. */
export function inputsOf({ parameters, schemes }: Operation): readonly Parameter[] {
	const isSigned = schemes.includes("signed");
	return parameters.filter(
		({ in: place, name }) => place !== "cookie" && name !== "X-Session" && !(isSigned && place === "header"),
	);
}

/** The body starts as the example; parameters are empty. */
export function initialValues(api: Api, { body }: Operation): Values {
	return body === undefined ? {} : { body: JSON.stringify(exampleIn(api.spec, body), null, 2) };
}

/** `isForCode`: required parameters without a value get their example, and an invalid JSON body is replaced by the example. */
export function callOf(
	api: Api,
	operation: Operation,
	values: Values,
	{ isForCode }: { readonly isForCode: boolean },
): Call {
	const textOf = (parameter: Parameter): string => {
		const typed = values[keyOf(parameter)] ?? "";
		if (typed !== "" || !isForCode || parameter.required !== true) return typed;
		return String(exampleOf(api.spec, parameter.schema));
	};
	const inputs = inputsOf(operation);
	const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
		const parameter = inputs.find((one) => one.in === "path" && one.name === name);
		return encodeURIComponent(parameter === undefined ? name : textOf(parameter));
	});
	const of = (place: Parameter["in"]) =>
		inputs
			.filter((one) => one.in === place)
			.map((one): [string, string] => [one.name, textOf(one)])
			.filter(([, value]) => value !== "");
	const query = new URLSearchParams(of("query"));
	const body = values.body ?? "";
	const isBodyUsable = !isForCode || isJson(body);
	return {
		method: operation.method,
		target: query.size === 0 ? path : `${path}?${query}`,
		headers: Object.fromEntries(of("header")),
		body: operation.body === undefined ? undefined : isBodyUsable ? body : initialValues(api, operation).body,
	};
}

export function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

/** Why the call cannot be sent, by key. */
export function mistakesIn(
	operation: Operation,
	values: Values,
	words: { readonly missing: string; readonly noJson: string },
): Readonly<Record<string, string>> {
	const missing = inputsOf(operation)
		.filter((one) => one.required === true && (values[keyOf(one)] ?? "") === "")
		.map((one): [string, string] => [keyOf(one), words.missing]);
	const isBodyWrong = operation.body !== undefined && !isJson(values.body ?? "");
	return Object.fromEntries(isBodyWrong ? [...missing, ["body", words.noJson]] : missing);
}
