// `/api-clients/{id}/explain-signature`: why a signed request was refused, for the administrator who is asked.

import { parseJsonBody } from "../../http/body.ts";
import { data, endpoint } from "../../http/endpoint.ts";
import type { Guard, Route } from "../../http/guard.ts";
import { requireHttps } from "../../http/transport.ts";
import { invalidBody, validator } from "../../http/validation.ts";
import type { SignedIn } from "../auth/model.ts";
import { type ExplainDeps, explainSignature, type OpenApi } from "./explain-signature.ts";
import { explainBody, explanationSchema, toToldRequest, toWireExplanation } from "./explain-wire.ts";
import type { SignedGuard } from "./signed-guard.ts";

export type ExplainEndpointDeps = Omit<ExplainDeps, "requireHttps" | "findOpenApi">;

/** `routes` is the whole map; it is asked when a request is explained. */
export function explainEndpoints(deps: ExplainEndpointDeps, routes: () => readonly Route[]) {
	const explainDeps: ExplainDeps = {
		...deps,
		requireHttps,
		findOpenApi: (method, target) => findOpenApi(routes(), method, target),
	};
	return {
		explain: endpoint<SignedIn>()({
			name: "explainSignature",
			summary: "Find out why a signature failed",
			description:
				"Runs the checks of the open APIs, in their order and all of them, over a request as it was sent, for this client as it is now. Stores nothing, uses no nonce up, and never shows the Secret or a right signature. A request that was accepted has used its nonce up: that check fails then. Rate limit and body size are not looked at.",
			ids: { id: "api_client.not_found" },
			body: explainBody,
			answer: data(200, explanationSchema, "What each check says."),
			async handle({ caller, ids: { id }, body }) {
				const client = { tenantId: caller.tenantId, id: id as string };
				return toWireExplanation(await explainSignature(explainDeps, client, toToldRequest(body)));
			},
		}),
	};
}

/** The route a signed request would reach; ids of whatever form. */
function findOpenApi(routes: readonly Route[], method: string, target: string): OpenApi | undefined {
	const [path = ""] = target.split("?", 1);
	// Every GET answers HEAD too.
	const wanted = method === "HEAD" ? "GET" : method;
	const route = routes.find(
		(row) => row.method === wanted && isSigned(row.guard) && pathPattern(row.path).test(path),
	);
	if (route === undefined || !isSigned(route.guard)) return undefined;
	const { body: schema } = route.endpoint;
	return {
		scope: route.guard.scope,
		checkBody(raw, contentType) {
			if (schema === undefined) return;
			const result = validator(schema)(parseJsonBody(raw, contentType) ?? {});
			if (result !== true) throw invalidBody(result);
		},
	};
}

function isSigned(guard: Guard<unknown>): guard is SignedGuard {
	return guard.security === "signed" && "scope" in guard;
}

function pathPattern(path: string): RegExp {
	const parts = path.split(/\{\w+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${parts.join("[^/]+")}$`);
}
