// Builds the Node.js request and response for the library: without a connection, with the host of the issuer.

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { ProviderRequest } from "../../domain/openid-provider.ts";
import { COOKIES } from "./configuration.ts";

/** Headers that the library may read. It builds URLs from `Host`, which is always the issuer's. */
const READ_HEADERS = [
	"accept",
	"authorization",
	"content-type",
	"dpop",
	"origin",
	"access-control-request-method",
	"access-control-request-headers",
];

export function messageFor(
	issuer: string,
	{ method, target, headers, body, session, resume }: ProviderRequest,
): { readonly request: IncomingMessage; readonly response: ServerResponse } {
	const { host, protocol } = new URL(issuer);
	// Never connected; the library asks it whether the request came over TLS.
	const socket = Object.assign(new Socket(), { encrypted: protocol === "https:" });
	const request = new IncomingMessage(socket);
	request.method = method;
	request.url = target;
	const cookies = [
		...(session === undefined ? [] : [`${COOKIES.session}=${session.id}`]),
		...(resume === undefined ? [] : [`${COOKIES.resume}=${resume}`]),
	];
	request.headers = {
		host,
		...Object.fromEntries(
			READ_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
		),
		...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
		...(body.length === 0 ? {} : { "content-length": String(body.length) }),
	};
	request.push(body.length === 0 ? null : body);
	if (body.length > 0) request.push(null);
	return { request, response: new ServerResponse(request) };
}
