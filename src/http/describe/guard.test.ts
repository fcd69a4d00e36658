import { test } from "node:test";
import { empty, endpoint } from "./endpoint.ts";
import { type Guard, publicGuard, route } from "./guard.ts";

interface Administrator {
	readonly roles: readonly string[];
}

test("a route compiles only with a guard that admits its caller, and a path with exactly its parameters", () => {
	const remove = endpoint<Administrator>()({
		name: "removeThing",
		summary: "Remove a thing",
		ids: { id: "user.not_found" },
		response: empty(204, "Removed."),
		handle: ({ caller, ids }) => void [caller.roles, ids.id],
	});
	const guard: Guard<Administrator & { readonly name: string }, string> = {
		...publicGuard,
		beforeBody: () => "state",
		admit: (_request, state) => ({ name: state, roles: [] }),
	};
	route("DELETE", "/things/{id}", guard, "service", remove, "Things");
	// @ts-expect-error the guard admits no administrator
	route("DELETE", "/things/{id}", publicGuard, "service", remove, "Things");
	// @ts-expect-error the path lacks a parameter
	route("DELETE", "/things", guard, "service", remove, "Things");
	// @ts-expect-error the path has another parameter
	route("DELETE", "/things/{id}/{part}", guard, "service", remove, "Things");
});
