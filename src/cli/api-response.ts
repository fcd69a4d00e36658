// Writes responses of the API: to standard output, or to a new file.

import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { ApiOperation } from "../app/api-operations.ts";
import { isNumber, isText, listOf, objectOf, optional } from "../kernel/shape.ts";
import { withoutHidden } from "../kernel/shown-text.ts";
import { fileError, type ProblemKind, StartError, systemCode, usageError } from "../kernel/start-error.ts";
import { host } from "./host.ts";
import { formatJson } from "./output.ts";

export interface Target extends Disposable {
	write(data: string | Uint8Array): Promise<void>;
	/** Whether a human reads it. */
	readonly isTerminal: boolean;
	/** Keeps the file. Without this call, an unfinished one is removed. */
	finish(): void;
}

/**
 * Opens the file before the request is sent: a Secret that cannot be written would be lost.
 *
 * @throws StartError `usage` for a Secret that would go into a pipe or a file with other permissions; `refused` for a file
 * that exists.
 */
export function openTarget(
	{ returnsSecret }: ApiOperation,
	{ output }: { readonly output?: string },
): Target {
	if (output !== undefined) return openFile(output);
	const { stdout } = host();
	const isTerminal = stdout.isTTY === true;
	if (returnsSecret && !isTerminal)
		throw usageError(
			"the response contains a secret: print it on a terminal, or use --output FILE, which only its owner can read",
			{ code: "api.secret_output" },
		);
	return {
		isTerminal,
		write: (data) =>
			new Promise((resolve, reject) => stdout.write(data, (error) => (error ? reject(error) : resolve()))),
		finish: () => undefined,
		[Symbol.dispose]: () => undefined,
	};
}

function openFile(path: string): Target {
	const file = openNew(path);
	let isFinished = false;
	return {
		isTerminal: false,
		async write(data) {
			// Unlike one write, it does not stop early without an error: half a Secret would be lost.
			writeFileSync(file, data);
		},
		finish() {
			isFinished = true;
		},
		[Symbol.dispose]() {
			closeSync(file);
			if (!isFinished) unlinkSync(path);
		},
	};
}

function openNew(path: string): number {
	try {
		return openSync(path, "wx", 0o600);
	} catch (cause) {
		if (systemCode(cause) === "EEXIST")
			throw new StartError(`--output ${path} exists already`, { cause, kind: "refused" });
		throw fileError(`--output ${path} cannot be written`, cause);
	}
}

/** JSON as text for humans, or with `--json` on one line; a file of the API as it is. */
export async function printBody(response: IncomingMessage, target: Target): Promise<void> {
	if (isJson(response)) await target.write(`${formatJson(await readJson(response))}\n`);
	else await copyFile(response, target);
	target.finish();
}

/** Prints each item on a line of its own. @returns whether this was the last page. */
export async function printItems(response: IncomingMessage, target: Target): Promise<boolean> {
	const page = await readJson(response);
	if (!isPage(page)) throw notTheApi("the response is no page of a list");
	for (const item of page.data) await target.write(`${formatJson(item, true)}\n`);
	const isLast = page.data.length < page.page_size;
	if (isLast) target.finish();
	return isLast;
}

async function copyFile(response: IncomingMessage, target: Target): Promise<void> {
	const type = response.headers["content-type"] ?? "";
	const isText = type.startsWith("text/") || type.includes("json");
	if (target.isTerminal && type !== "" && !isText) {
		response.resume();
		throw usageError(`the response is a file (${type}): use --output FILE`);
	}
	const decoder = new TextDecoder();
	try {
		for await (const chunk of response as AsyncIterable<Buffer>)
			await target.write(target.isTerminal ? printable(decoder.decode(chunk, { stream: true })) : chunk);
	} catch (cause) {
		throw new StartError("the response ended early: the file is incomplete", { cause, kind: "away" });
	}
}

/** Names are untrusted: a character that controls the terminal or reorders its text must not reach it. */
export function printable(text: string): string {
	return withoutHidden(text, "lines", () => "?");
}

function isJson({ headers }: IncomingMessage): boolean {
	return /^application\/(?:problem\+)?json\b/.test(headers["content-type"] ?? "");
}

/** @throws StartError for a server that is not the service: without the text, which may contain a secret. */
export async function readJson(response: IncomingMessage): Promise<unknown> {
	const text = await readText(response);
	try {
		return JSON.parse(text);
	} catch {
		throw notTheApi("the response is not JSON");
	}
}

const isItem = (_: unknown): _ is unknown => true;
const isPage = objectOf({ data: listOf(isItem), page_size: isNumber });
const isProblem = objectOf({ code: optional(isText), detail: optional(isText) });

function notTheApi(message: string): StartError {
	return new StartError(`${message}: check that --url is the URL of the service`);
}

async function readText(response: IncomingMessage): Promise<string> {
	try {
		return (await buffer(response)).toString("utf8");
	} catch (cause) {
		throw new StartError("the response ended early", { cause, kind: "away" });
	}
}

const KIND_OF_STATUS: Readonly<Record<number, ProblemKind>> = {
	400: "usage",
	401: "refused",
	403: "refused",
	404: "not_found",
	405: "usage",
	409: "refused",
	412: "refused",
	413: "usage",
	415: "usage",
	502: "away",
	503: "away",
	504: "away",
};

/** @throws StartError for a response of 400 or more: with the code of the API. */
export async function accepted(response: IncomingMessage): Promise<IncomingMessage> {
	if ((response.statusCode ?? 0) < 400) return response;
	throw await refusalOf(response);
}

async function refusalOf(response: IncomingMessage): Promise<StartError> {
	const { statusCode = 0, headers } = response;
	const kind = KIND_OF_STATUS[statusCode] ?? "failed";
	const wait = headers["retry-after"];
	const advice = wait === undefined ? "" : `; try again in ${wait} s`;
	if (!isJson(response)) response.resume();
	const problem = isJson(response) ? await readJson(response) : undefined;
	if (!isProblem(problem))
		return new StartError(`the service responded with status ${statusCode}${advice}`, { kind });
	const { code, detail = `status ${statusCode}` } = problem;
	return new StartError(printable(`${detail}${advice}`), {
		kind,
		...(code !== undefined && { code: printable(code) }),
	});
}
