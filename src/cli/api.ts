// `latchkey api`: calls a route of the API, in this process on the machine of the service, or at a running service with
// an admin key.

import { describeOperations } from "../app/api-operations.ts";
import { operationHelp, operationList } from "./api-help.ts";
import { buildRequest, type CallOptions, findOperation, pageOf } from "./api-request.ts";
import { accepted, openTarget, printBody, printItems } from "./api-response.ts";
import { openSender, requireHere, type SenderOptions } from "./api-sender.ts";
import { hostConsole } from "./host.ts";

export interface ApiOptions extends CallOptions, SenderOptions {
	/** Print the items of all pages. */
	readonly paginate?: boolean;
	/** A new file for the body of the response. */
	readonly output?: string;
	readonly help?: boolean;
}

/**
 * @param usage the help of the command itself.
 * @throws StartError for a wrong argument, and for every response of 400 or more, with the code of the API.
 */
export async function api(
	method: string | undefined,
	path: string | undefined,
	options: ApiOptions,
	usage: () => string,
): Promise<void> {
	const operations = describeOperations();
	if (method === undefined || path === undefined)
		return hostConsole().log(`${usage()}\n${operationList(operations, method)}`);
	const found = findOperation(operations, method, path);
	if (options.help === true) return hostConsole().log(operationHelp(found.operation));
	requireHere(found.operation);
	const request = await buildRequest(found, options);
	using target = openTarget(found.operation, options);
	await using sender = await openSender(options);
	if (options.paginate !== true) {
		await printBody(await accepted(await sender.send(request)), target);
		return;
	}
	for (let page = 1, isLast = false; !isLast; page++)
		isLast = await printItems(await accepted(await sender.send(pageOf(request, page))), target);
}
