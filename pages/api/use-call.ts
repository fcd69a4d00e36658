// One response of the API as a query: `useCall("GET /groups/{id}", { path: { id } })`.

import { call } from "./client.ts";
import { type Query, useQuery } from "./query.ts";
import type { CallOptions, ResponseOf, Route } from "./routes.ts";

/** Without options, loads nothing. `forgetQueries` finds it by its route. */
export function useCall<R extends Route>(
	route: R,
	options: Omit<CallOptions<R>, "signal"> | undefined,
): Query<ResponseOf<R>> {
	return useQuery(options && `${route} ${JSON.stringify(options)}`, (signal) => {
		const send = call as (route: R, options: CallOptions<R>) => Promise<ResponseOf<R>>;
		return send(route, { ...options, signal } as CallOptions<R>);
	});
}
