// Calls before or during a sign-in, without the session of this browser.

import { ApiError } from "../api/error.ts";
import { send } from "../api/request.ts";
import type { CallOptions, ResponseOf, Route, Schemas } from "../api/routes.ts";
import { session } from "../api/session.ts";

export type Tokens = Schemas["Tokens"];
export type SecondFactorDue = Schemas["SecondFactorDue"];
/** The response to a first factor. */
export type Outcome = Tokens | SecondFactorDue;
export type FactorMethod = SecondFactorDue["methods"][number];

type BodyOf<R extends Route> = CallOptions<R> extends { readonly body?: infer Body } ? Body : never;
type PostRoute = Extract<Route, `POST /auth/${string}`>;

/** @throws ApiError */
export async function visitorCall<R extends PostRoute>(route: R, body?: BodyOf<R>): Promise<ResponseOf<R>> {
	return (await send("POST", pathOf(route), { body })) as ResponseOf<R>;
}

/** With the access token of a new session, which needs no renewal. @throws ApiError */
export async function freshCall<R extends PostRoute>(route: R, body: BodyOf<R>): Promise<ResponseOf<R>> {
	const { accessToken } = session.value;
	return (await send("POST", pathOf(route), { body, accessToken })) as ResponseOf<R>;
}

function pathOf(route: PostRoute): string {
	return `/api/v1${route.slice("POST ".length)}`;
}

/** Finishes a sign-in with a provider. @throws ApiError `provider.<error>` if the provider or the service refused. */
export async function finishAtProvider(outcome: "finish" | { readonly error: string }): Promise<Outcome> {
	if (outcome !== "finish") throw new ApiError(0, `provider.${outcome.error}`, outcome.error);
	return (await visitorCall("POST /auth/third-party/finish")).data;
}
