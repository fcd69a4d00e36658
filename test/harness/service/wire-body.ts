// The type of a response body, looked up in the route map by method and path.

import type { MappedRoute } from "../../../src/app/routes.ts";
import type { Route } from "../../../src/http/describe/guard.ts";

/** The body of an error: `error`, or the members of RFC 9457 if the request accepts problem+json. */
export interface Refusal {
	readonly error: string;
	readonly detail: string;
	readonly code: string;
	readonly request_id: string;
	readonly errors: readonly { readonly field: string; readonly message: string }[];
	readonly current_etag: string;
}

/**
 * What a test may read from a response: the body that the route map describes, or an error. For a path outside the map,
 * or one that the compiler does not know, only an error.
 *
 * A path is written as a template: `/api/v1/users/${id}` is `GET /api/v1/users/{id}`.
 */
export type BodyOf<
	Method extends string,
	Path extends string,
> = `${Method} ${Shape<Path>}` extends keyof Bodies ? Readable<Bodies[`${Method} ${Shape<Path>}`]> : Refusal;

/** The `data` of a successful response, for example `DataOf<"GET /api/v1/users/{id}">`. */
export type DataOf<Row extends string> = BodyOfRow<Row> extends { readonly data: infer Data } ? Data : never;

/** The whole body of a response, for example `BodyOfRow<"GET /api/v1/users/{id}">`. */
export type BodyOfRow<Row extends string> = Row extends `${infer Method} ${infer Path}`
	? BodyOf<Method, Path>
	: never;

type Readable<Body> = unknown extends Body ? Refusal : Whole<Body> & Omit<Refusal, keyof Body>;

/** Merges several kinds of responses, such as tokens and a second factor challenge: a test reads members of each. */
type Whole<Body> = Body extends { readonly data: infer Data }
	? Omit<Body, "data"> & {
			readonly data: [Data] extends [readonly (infer Row)[]] ? readonly All<Row>[] : All<Data>;
		}
	: Body;
type All<Union> = [Both<Union>] extends [never]
	? { readonly [Name in NameIn<Union>]: ValueIn<Union, Name> }
	: Both<Union>;
type Both<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer Both) => void
	? Both
	: never;
/** For members that a `kind` distinguishes, which have no intersection. */
type NameIn<Union> = Union extends unknown ? keyof Union : never;
type ValueIn<Union, Name> = Union extends unknown ? (Name extends keyof Union ? Union[Name] : never) : never;

/** Bodies by method and path, each parameter written `{}`. */
type Bodies = {
	[R in MappedRoute as `${R["method"]} ${Shape<R["path"]>}`]: R extends Route<R["method"], string, infer Body>
		? Body
		: never;
};

/** The path without its query, each parameter written `{}`. */
type Shape<Path extends string> = Path extends `${infer Before}?${string}`
	? Segments<Before>
	: Segments<Path>;
type Segments<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
	? `${Segmented<Segment>}/${Segments<Rest>}`
	: Segmented<Path>;
type Segmented<Segment extends string> = string extends Segment
	? "{}"
	: Segment extends `{${string}}`
		? "{}"
		: Segment;
