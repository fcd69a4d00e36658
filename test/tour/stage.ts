// Runs each command of a tour, prints it as a user would type it, and checks the response.

import { type ReadyProgram, runProgram } from "../harness/processes/program.ts";
import { exchange } from "./exchange.ts";
import { quoted, shorten, shownOnly, type Variable, word } from "./words.ts";

/** A parsed response body. */
export type Body = ReturnType<typeof JSON.parse>;

interface Shown {
	/** The printed fields of the response; default: all. */
	readonly show?: readonly string[];
	/** Shell variables that replace their values in the output. */
	readonly hide?: readonly Variable[];
}

export interface CurlOptions extends Shown {
	readonly token?: Variable;
	readonly json?: unknown;
}

export interface CommandOptions extends Shown {
	/** Of the installation. */
	readonly env: Readonly<Record<string, string>>;
	/** Repeats the command for up to 20 s until its result satisfies this. */
	readonly until?: (lines: readonly Body[]) => boolean;
}

export interface SignOptions extends Shown {
	readonly env: Readonly<Record<string, string>>;
	readonly json?: unknown;
	readonly nonce?: string;
	readonly timestamp?: string;
}

/** Styles text, or returns it unchanged. */
export type Paint = (style: "bold" | "cyan" | "green", text: string) => string;

const PATIENCE_MS = 20_000;
const LOOK_AGAIN_MS = 500;

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

	/** The URL of the service. */
	get baseUrl(): string {
		return this.#program.httpsUrl;
	}

	/** Begins a step, which later errors name. */
	step(title: string): void {
		this.#step += 1;
		this.#title = title;
		this.#print(`\n${this.#paint("bold", `${this.#step}. ${title}`)}`);
	}

	/** Prints a line that is not a command. */
	say(line: string): void {
		this.#print(`   ${line}`);
	}

	/** Prints a command. */
	command(text: string): void {
		this.say(this.#paint("cyan", `$ ${text}`));
	}

	/** Prints a value and gives it a name. */
	set(name: string, value: string): Variable {
		this.say(`${name}=${shorten(value)}`);
		return { name, value };
	}

	/** @throws Error naming the step. */
	fail(why: string): never {
		throw new Error(`step ${this.#step} "${this.#title}" failed: ${why}`);
	}

	/** Prints a curl command and sends its request. @throws Error naming the step, for a status other than `expected` */
	async curl(method: string, path: string, options: CurlOptions, expected: number): Promise<Body> {
		const { token, json, hide = [], show } = options;
		const url = `${this.#program.httpsUrl}${path}`;
		const words = [
			"curl -k",
			...(method === (json === undefined ? "GET" : "POST") ? [] : [`-X ${method}`]),
			word(url, hide),
			...(token === undefined ? [] : [`-H "Authorization: Bearer $${token.name}"`]),
			...(json === undefined ? [] : [`--json ${quoted(JSON.stringify(json), hide)}`]),
		];
		this.command(words.join(" "));
		const body = json === undefined ? undefined : JSON.stringify(json);
		const { status, text } = await exchange(url, method, token?.value, body).catch((error: Error) =>
			this.fail(error.message),
		);
		return this.#checked({ status, text }, expected, show);
	}

	/**
	 * Runs `latchkey <args> --json` on the installation.
	 *
	 * @returns the printed objects
	 * @throws Error naming the step, if the command fails or `until` is not satisfied in time
	 */
	async latchkey(
		args: readonly string[],
		{ env, show, hide = [], until = () => true }: CommandOptions,
	): Promise<Body[]> {
		this.command(`bin/latchkey ${args.map((each) => word(each, hide)).join(" ")} --json`);
		const deadline = Date.now() + PATIENCE_MS;
		for (;;) {
			const { code, stdout, stderr } = await runProgram([...args, "--json", "--quiet"], { env });
			if (code !== 0) this.fail(stderr.trim());
			const lines = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
			if (until(lines)) {
				for (const line of lines) this.say(JSON.stringify(line, shownOnly(show)));
				return lines;
			}
			if (Date.now() > deadline) this.fail(`it still prints ${stdout.trim() || "nothing"}`);
			await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
		}
	}

	/** Runs `latchkey api <args>` like `latchkey`. @returns the body; undefined without one */
	async api(args: readonly string[], options: CommandOptions): Promise<Body> {
		const [body] = await this.latchkey(["api", ...args], options);
		return body;
	}

	/**
	 * Runs `latchkey sign` with the path; `env` names the service and the client.
	 *
	 * @throws Error naming the step, for a status other than `expected`
	 */
	async sign(
		path: string,
		{ env, json, nonce, timestamp, show, hide = [] }: SignOptions,
		expected: number,
	): Promise<Body> {
		const options = [
			"-k",
			...(nonce === undefined ? [] : ["--nonce", nonce]),
			...(timestamp === undefined ? [] : ["--timestamp", timestamp]),
		];
		const body = json === undefined ? undefined : JSON.stringify(json);
		const shown = body === undefined ? [] : [`-d ${quoted(body, hide)}`];
		this.command(`bin/latchkey sign ${[...options, ...shown, path].join(" ")}`);
		const args = ["sign", ...options, ...(body === undefined ? [] : ["-d", body]), path];
		const { stdout, stderr } = await runProgram(args, { env });
		const [, status] = /^HTTP ([0-9]{3})$/m.exec(stderr) ?? this.fail(stderr);
		return this.#checked({ status: Number(status), text: stdout }, expected, show);
	}

	/** The headers of a signed request, from `latchkey sign --print`. */
	async signedHeaders(
		path: string,
		env: Readonly<Record<string, string>>,
		body?: string,
	): Promise<Variable[]> {
		const data = body === undefined ? [] : ["-d", body];
		this.command(`bin/latchkey sign --print ${[...data.map((each) => word(each, [])), path].join(" ")}`);
		const { stdout } = await runProgram(["sign", "--print", ...data, path], { env });
		return [...stdout.matchAll(/--header '((?:X|Content)-[A-Za-z-]+): ([^']+)'/g)].map(
			([, name = "", value = ""]) => ({ name, value }),
		);
	}

	#checked(
		{ status, text }: { readonly status: number; readonly text: string },
		expected: number,
		show: readonly string[] | undefined,
	): Body {
		const body = text.trim() === "" ? undefined : JSON.parse(text);
		const line = body === undefined ? "" : JSON.stringify(body, status < 400 ? shownOnly(show) : undefined);
		this.say(`${status} ${line}`.trimEnd());
		if (status !== expected) this.fail(`expected ${expected}, got ${status}`);
		return body;
	}
}
