// A page of people by the state of the list. A complete ID in the search finds that person.

import { call } from "../../api/client.ts";
import { type ListState, usePage } from "../../api/list-state.ts";
import { type Query, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function usePeople(state: ListState): Query<Schemas["UserPage"]> {
	const typed = (state.settled.q ?? "").trim().toLowerCase();
	const id = ID.test(typed) ? typed : undefined;
	const page = usePage("GET /users", state);
	const byId = useQuery(id === undefined ? undefined : `GET /users/${id}`, (signal) =>
		call("GET /users/{id}", { path: { id: id ?? "" }, signal }),
	);
	const person = byId.data?.data;
	if (id === undefined || person?.id !== id) return { ...page, isLoading: page.isLoading || byId.isLoading };
	return { ...byId, data: { data: [person], total: 1, page: 1, page_size: 1 } };
}
