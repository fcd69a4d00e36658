// Where the tour is played: performs each command over the wire, prints it as a person would type it, and checks the answer.

import https from "node:https";
import { type ReadyProgram, runProgram } from "../harness/program.ts";

/** An answer's parsed body. */
export type Body = ReturnType<typeof JSON.parse>;

/** A value the audience has seen, shown by the name of a shell variable from then on. */
export interface Variable {
	readonly name: string;
	readonly value: string;
}

interface Shown {
	/** The fields of the answer that are printed; all unless given. */
	readonly show?: readonly string[];
}

export interface CurlOptions extends Shown {
	readonly token?: Variable;
	readonly json?: unknown;
	/** Shell variables that stand in for their values in what is printed. */
	readonly hide?: readonly Variable[];
}

export interface SignOptions extends Shown {
	readonly env: Readonly<Record<string, string>>;
	readonly json?: unknown;
	readonly nonce?: string;
	readonly timestamp?: string;
}

/** Gives text a style, or leaves it as it is. */
export type Paint = (style: "bold" | "cyan" | "green", text: string) => string;

/** Longer ones are tokens and secrets. */
const WORD_MAX = 40;

export class Stage {
	readonly #program: ReadyProgram;
	readonly #print: (line: string) => void;
	readonly #paint: Paint;
	#step = 0;
	#title = "";

	constructor(program: ReadyProgram, print: (line: string) => void, paint: Paint = (_, text) => text) {
		this.#program = program;
		this.#print = print;
		this.#paint = paint;
	}

	/** Of the service the tour started. */
	get baseUrl(): string {
		return this.#program.httpsUrl;
	}

	/** Begins a step; what fails from now on names it. */
	step(title: string): void {
		this.#step += 1;
		this.#title = title;
		this.#print(`\n${this.#paint("bold", `${this.#step}. ${title}`)}`);
	}

	/** A line that is no command: what a mail says, what a variable is set to. */
	say(line: string): void {
		this.#print(`   ${line}`);
	}

	/** A command as it is typed; it is only printed. */
	command(text: string): void {
		this.say(this.#paint("cyan", `$ ${text}`));
	}

	/** Shows and names a value. */
	set(name: string, value: string): Variable {
		this.say(`${name}=${shorten(value)}`);
		return { name, value };
	}

	/** @throws Error naming the step. */
	fail(why: string): never {
		throw new Error(`step ${this.#step} "${this.#title}" failed: ${why}`);
	}

	/** Sends what the printed curl command would send; throws, naming the step, at any other status than `expected`. */
	async curl(method: string, path: string, options: CurlOptions, expected: number): Promise<Body> {
		const { token, json, hide = [], show } = options;
		const url = `${this.#program.httpsUrl}${path}`;
		const words = [
			"curl -k",
			...(method === (json === undefined ? "GET" : "POST") ? [] : [`-X ${method}`]),
			/[?&]/.test(url) ? `'${url}'` : url,
			...(token === undefined ? [] : [`-H "Authorization: Bearer $${token.name}"`]),
			...(json === undefined ? [] : [`--json ${jsonArgument(json, hide)}`]),
		];
		this.command(words.join(" "));
		const body = json === undefined ? undefined : JSON.stringify(json);
		const { status, text } = await exchange(url, method, token?.value, body).catch((error: Error) =>
			this.fail(error.message),
		);
		return this.#checked({ status, text }, expected, show);
	}

	/**
	 * Runs `latchkey sign` with the path; `env` names the service and the client.
	 *
	 * @throws Error naming the step, at any other status than `expected`.
	 */
	async sign(
		path: string,
		{ env, json, nonce, timestamp, show }: SignOptions,
		expected: number,
	): Promise<Body> {
		const options = [
			"-k",
			...(nonce === undefined ? [] : ["--nonce", nonce]),
			...(timestamp === undefined ? [] : ["--timestamp", timestamp]),
		];
		const body = json === undefined ? undefined : JSON.stringify(json);
		const shown = body === undefined ? [] : [`-d '${body}'`];
		this.command(`bin/latchkey sign ${[...options, ...shown, path].join(" ")}`);
		const args = ["sign", ...options, ...(body === undefined ? [] : ["-d", body]), path];
		const { stdout, stderr } = await runProgram(args, { env });
		const [, status] = /^HTTP ([0-9]{3})$/m.exec(stderr) ?? this.fail(stderr);
		return this.#checked({ status: Number(status), text: stdout }, expected, show);
	}

	#checked(
		{ status, text }: { readonly status: number; readonly text: string },
		expected: number,
		show: readonly string[] | undefined,
	): Body {
		const body = text.trim() === "" ? undefined : JSON.parse(text);
		const line = body === undefined ? "" : JSON.stringify(body, status < 400 ? shownOnly(show) : undefined);
		this.say(`${status} ${line}`.trimEnd());
		if (status !== expected) this.fail(`${expected} was expected, ${status} came`);
		return body;
	}
}

/** In single quotes; a hidden value as `'"$NAME"'`, which a shell fills in. */
function jsonArgument(json: unknown, hide: readonly Variable[]): string {
	let text = JSON.stringify(json);
	for (const { name, value } of hide) text = text.replaceAll(value, `'"$${name}"'`);
	return `'${text}'`;
}

/** For `JSON.stringify`: keeps the named fields, and of long words the beginning. */
function shownOnly(show: readonly string[] | undefined) {
	return (key: string, value: unknown): unknown => {
		const isPlace = key === "" || key === "data" || /^[0-9]+$/.test(key);
		if (!isPlace && show !== undefined && !show.includes(key)) return undefined;
		return typeof value === "string" ? shorten(value) : value;
	};
}

function shorten(text: string): string {
	return text.length > WORD_MAX && !text.includes(" ") ? `${text.slice(0, WORD_MAX / 2)}…` : text;
}

function exchange(
	url: string,
	method: string,
	token: string | undefined,
	body: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
	return new Promise((resolve, reject) => {
		const headers = {
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
			...(body === undefined
				? {}
				: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
		};
		const signal = AbortSignal.timeout(10_000);
		const options = { method, headers, rejectUnauthorized: false, agent: false, signal };
		const request = https.request(url, options, (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (chunk: string) => {
				text += chunk;
			});
			response.on("error", reject);
			response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
		});
		request.on("error", reject);
		request.end(body);
	});
}
