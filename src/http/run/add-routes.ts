// Creates the resources of the route map: limit, guard, body, handler.

import { AppError, invalidFields } from "../../kernel/error.ts";
import type { Route } from "../describe/guard.ts";
import { bodySchemaOf, fieldsOfNoBody, refusesUnknownNames } from "../describe/known-names.ts";
import { validator } from "../describe/validation.ts";
import { checkEncoding, parseJsonBody } from "./body.ts";
import type { RecordExport } from "./export-list.ts";
import { handlerFor } from "./handler.ts";
import type { ConditionalChange } from "./if-match.ts";
import type { PipelineOptions } from "./pipeline.ts";
import { shadowedPaths } from "./request-target.ts";
import { REFUSED, type Resource } from "./resource.ts";
import type { Router } from "./router.ts";

export interface RouteOptions extends Pick<PipelineOptions, "routes" | "rateLimits"> {
	readonly recordExport: RecordExport;
	readonly changeIfMatch: ConditionalChange;
}

export function addRoutes(router: Router, options: RouteOptions): void {
	for (const route of options.routes) router.add(route.method, route.path, resourceOf(route, options));
	for (const { path, method, transport, allowed } of shadowedPaths(options.routes))
		router.add(method, path, { ...REFUSED, template: path, transport, allowed });
}

function resourceOf(route: Route, options: RouteOptions): Resource {
	const { routes, rateLimits } = options;
	const { method, path, guard, endpoint, limit } = route;
	const parseBody = bodyParser(route, routes);
	return {
		template: path,
		transport: guard.transport,
		guard,
		session: endpoint.session,
		browser: endpoint.browser,
		bodyLimit: endpoint.bodyLimit,
		callerNamesRequest: endpoint.callerNamesRequest,
		limiter: typeof limit === "string" ? undefined : rateLimits.ofRoute(`${method} ${path}`, limit.perMinute),
		isProbe: limit === "probe",
		...(parseBody && { parseBody }),
		respond: handlerFor(route, options),
	};
}

/** Parses the body as JSON, unless it is a file. A route that expects none refuses every field if it refuses unknown names. */
function bodyParser(route: Route, routes: readonly Route[]): Resource["parseBody"] {
	const { file } = route.endpoint;
	if (file !== undefined)
		return ({ incoming }) => {
			checkEncoding(incoming);
			if (incoming.contentType?.toLowerCase() !== file)
				throw new AppError("request.content_type", `content type must be ${file}`);
		};
	const schema = bodySchemaOf(route, routes);
	if (schema !== undefined) {
		const check = validator(schema);
		return (exchange) => {
			const { rawBody, contentType } = exchange.incoming;
			checkEncoding(exchange.incoming);
			const parsed = parseJsonBody(rawBody, contentType);
			// An absent body counts as `{}`; `null` is a value that is not an object.
			exchange.body = parsed === undefined ? {} : parsed;
			const result = check(exchange.body);
			if (result !== true) throw invalidFields(result);
		};
	}
	if (route.method === "GET" || !refusesUnknownNames(route.guard)) return undefined;
	return ({ incoming }) => {
		checkEncoding(incoming);
		const complaints = fieldsOfNoBody(incoming.rawBody);
		if (complaints.length > 0) throw invalidFields(complaints);
	};
}
