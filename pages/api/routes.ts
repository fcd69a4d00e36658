// Types of the API's routes, derived from the OpenAPI document.

import type { components, paths } from "../../build/api-types.ts";

export type Schemas = components["schemas"];

type Method = "get" | "post" | "put" | "patch" | "delete";
type Operations = {
	[Path in keyof paths & string as Path extends `/api/v1${infer Short}` ? Short : Path]: Omit<
		paths[Path],
		"parameters"
	>;
};
/** `GET /users/{id}`: without `/api/v1`. */
export type Route = {
	[Path in keyof Operations & string]: {
		[Name in Method]: Name extends keyof Operations[Path]
			? Operations[Path][Name] extends undefined
				? never
				: `${Uppercase<Name>} ${Path}`
			: never;
	}[Method];
}[keyof Operations & string];

type OperationOf<R extends Route> = R extends `${infer Name} ${infer Path}`
	? Path extends keyof Operations
		? Lowercase<Name> extends keyof Operations[Path]
			? NonNullable<Operations[Path][Lowercase<Name>]>
			: never
		: never
	: never;

type Parameters<R extends Route, Place extends "path" | "query"> =
	OperationOf<R> extends { parameters: infer All }
		? Place extends keyof All
			? NonNullable<All[Place]>
			: never
		: never;
type Body<R extends Route> =
	OperationOf<R> extends { requestBody?: infer Requested }
		? NonNullable<Requested> extends { content: { "application/json": infer Content } }
			? Content
			: NonNullable<Requested> extends { content: { "image/png": unknown } }
				? Blob
				: never
		: never;
type Content<Response> = Response extends { content: { "application/json": infer Json } } ? Json : undefined;
/** The body of a successful response; `undefined` for 202 and 204 without a body. */
export type ResponseOf<R extends Route> =
	OperationOf<R> extends { responses: infer Responses }
		? Content<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
		: never;

type Optional<Name extends string, Value> = [Value] extends [never]
	? unknown
	: { readonly [Key in Name]?: Value };
type Required<Name extends string, Value> = [Value] extends [never]
	? unknown
	: { readonly [Key in Name]: Value };

export type CallOptions<R extends Route> = Required<"path", Parameters<R, "path">> &
	Optional<"query", Parameters<R, "query">> &
	Optional<"body", Body<R>> & { readonly signal?: AbortSignal };

export type QueryOf<R extends Route> = Parameters<R, "query">;
