// Types of the routes that admit admin keys, derived from the OpenAPI document.

import type { paths } from "#admin-api";

export type Method = "get" | "post" | "put" | "patch" | "delete";
/** The paths that have the method. */
type PathWith<M extends Method> = {
	[P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type Operation<M extends Method, P extends keyof paths> = paths[P][M];

type Json<Content> = Content extends { content: { "application/json": infer Type } } ? Type : undefined;
type ResultOf<O> = O extends { responses: infer Responses }
	? { [Status in keyof Responses]: Json<Responses[Status]> }[keyof Responses]
	: never;

/** Without the kinds that have no parameter. */
type Given<Places> = {
	[Place in keyof Places as [Places[Place]] extends [undefined] ? never : Place]: Places[Place];
};
type Body<O> = O extends { requestBody: infer Requested }
	? { readonly body: Json<Requested> }
	: O extends { requestBody?: infer Requested }
		? [Requested] extends [undefined]
			? unknown
			: { readonly body?: Json<NonNullable<Requested>> }
		: unknown;
type InputOf<O> = (O extends { parameters: infer Places }
	? Given<Omit<Places, "header" | "cookie">>
	: unknown) &
	Body<O> & { readonly signal?: AbortSignal };
/** Optional if every part of it is. */
export type InputArguments<M extends Method, P extends keyof paths> =
	Record<never, never> extends InputOf<Operation<M, P>>
		? [input?: InputOf<Operation<M, P>>]
		: [input: InputOf<Operation<M, P>>];

export interface AnyInput {
	readonly path?: Readonly<Record<string, unknown>>;
	readonly query?: Readonly<Record<string, unknown>>;
	readonly body?: unknown;
	readonly signal?: AbortSignal;
}

export type Call<M extends Method> = <P extends PathWith<M>>(
	path: P,
	...[input]: InputArguments<M, P>
) => Promise<ResultOf<Operation<M, P>>>;

export interface AnyPage {
	readonly data: readonly unknown[];
	readonly total: number;
	readonly page_size: number;
}
export type ListPath = {
	[P in PathWith<"get">]: ResultOf<Operation<"get", P>> extends AnyPage ? P : never;
}[PathWith<"get">];
export type RowOf<P extends ListPath> =
	ResultOf<Operation<"get", P>> extends { data: (infer Row)[] } ? Row : never;
