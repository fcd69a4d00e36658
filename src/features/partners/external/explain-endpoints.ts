// `/api-clients/{id}/explain-signature`: shows administrators why a signed request was refused.

import type { Administrator } from "../../../domain/caller.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import type { Route } from "../../../http/describe/guard.ts";
import { validator } from "../../../http/describe/validation.ts";
import { parseJsonBody } from "../../../http/run/body.ts";
import { requireHttps } from "../../../http/run/transport.ts";
import { invalidFields } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { createClientCache } from "./credentials.ts";
import type { ExplainNeeds, OpenApi } from "./explain-signature.ts";
import { explainBody, explanationSchema, toReportedRequest, toWireExplanation } from "./explain-wire.ts";
import type { SignedGuard } from "./signed-guard.ts";

/** @param routes returns the map of routes; called for each explanation, after the map exists */
export function explainEndpoints(platform: Platform, routes: () => readonly Route[]) {
	const needed: ExplainNeeds = {
		...platform,
		cache: createClientCache(platform.secretBox),
		requireHttps,
		findOpenApi: (method, target) => findOpenApi(routes(), method, target),
	};
	return {
		explain: endpoint<Administrator>()({
			name: "explainSignature",
			summary: "Explain why a signature failed",
			description:
				"Runs all checks of the open APIs, in order, on a reported request, against the current state of this client. Stores nothing, consumes no nonce, and never reveals the Secret or a valid signature. For a request that was accepted, the nonce check fails. Rate limits and body size are not checked.",
			ids: { id: "api_client.not_found" },
			body: explainBody,
			response: data(200, explanationSchema, "The result of each check."),
			async handle({ caller, ids: { id }, body }) {
				// Loaded with the first request, to keep the startup fast.
				const { explainSignature } = await import("./explain-signature.ts");
				const client = { tenantId: caller.tenantId, id };
				return toWireExplanation(await explainSignature(needed, client, toReportedRequest(body)));
			},
		}),
	};
}

/** The open API that a method and target reach, even with invalid ids in the path. */
function findOpenApi(routes: readonly Route[], method: string, target: string): OpenApi | undefined {
	const [path = ""] = target.split("?", 1);
	// Every GET route serves HEAD too.
	const routeMethod = method === "HEAD" ? "GET" : method;
	const route = routes.find(
		(row) => row.method === routeMethod && isSigned(row.guard) && pathPattern(row.path).test(path),
	);
	if (route === undefined || !isSigned(route.guard)) return undefined;
	const { body: schema } = route.endpoint;
	return {
		scope: route.guard.scope,
		checkBody(raw, contentType) {
			if (schema === undefined) return;
			const result = validator(schema)(parseJsonBody(raw, contentType) ?? {});
			if (result !== true) throw invalidFields(result);
		},
	};
}

function isSigned(guard: Route["guard"]): guard is SignedGuard {
	return guard.security === "signed" && "scope" in guard;
}

function pathPattern(path: string): RegExp {
	const parts = path.split(/\{\w+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${parts.join("[^/]+")}$`);
}
