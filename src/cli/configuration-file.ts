// Prepares a configuration file on the machine of the caller: replaces variables, and takes out where secrets go.

import {
	closeSync,
	constants,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	openSync,
	readSync,
	unlinkSync,
	writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import type { Environment } from "../config/read-settings.ts";
import { StartError, systemCode } from "../kernel/start-error.ts";
import { parseYaml, type YamlText } from "../kernel/yaml-document.ts";

export interface PreparedFile {
	/** For the API, with every line where it was. */
	readonly document: string;
	/** The files for secrets, by the place of the resource. */
	readonly secretFiles: ReadonlyMap<string, string>;
}

const VARIABLE = /\$\{([^{}]*)\}/g;
const ENV = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;
const TYPED = /^(?:true|false|-?[0-9]{1,15})$/;
const MAX_BYTES = 1_048_576;

/**
 * @param file its path; `-` is standard input, for which `secret_file` is relative to the working directory.
 * @throws StartError with the line of every problem.
 */
export async function prepareFile(file: string, source: string, env: Environment): Promise<PreparedFile> {
	if (Buffer.byteLength(source) > MAX_BYTES) throw new StartError(`${file} has more than 1 MiB`);
	const parsed = await parseYaml(source);
	if ("problems" in parsed)
		throw new StartError(
			parsed.problems.map(({ line, message }) => `${file}:${line}: it ${message}`).join("; "),
		);
	const folder = file === "-" ? process.cwd() : dirname(resolve(file));
	const secretFiles = new Map<string, string>();
	const problems: string[] = [];
	let document = source;
	// From the end, so that the places of the others stay.
	for (const text of [...parsed.texts].reverse()) {
		const result = replacement(text, source, env);
		if ("problem" in result) {
			problems.unshift(`${file}:${text.line}: ${text.path.join(".")} ${result.problem}`);
			continue;
		}
		const { start, end, secretFile } = result;
		document = document.slice(0, start) + result.text + document.slice(end);
		if (secretFile !== undefined)
			secretFiles.set(text.path.slice(0, -1).join("."), resolve(folder, secretFile));
	}
	if (problems.length > 0) throw new StartError(problems.join("; "));
	return { document, secretFiles };
}

type Replacement =
	| { readonly start: number; readonly end: number; readonly text: string; readonly secretFile?: string }
	| { readonly problem: string };

function replacement(text: YamlText, source: string, env: Environment): Replacement {
	const isSecretFile = text.path.at(-1) === "secret_file";
	if (source.slice(text.start, text.end).includes("\n")) return { problem: "must be on one line" };
	const expanded = expand(text.value, env);
	if ("problem" in expanded) return expanded;
	const { value } = expanded;
	if (!isSecretFile) {
		// As it is written, except that a variable without quotes may be a switch or a number.
		const isTyped = text.isPlain && TYPED.test(value);
		return { start: text.start, end: text.end, text: isTyped ? value : JSON.stringify(value) };
	}
	if (value === "") return { problem: "must be the path of a new file" };
	const start = source.lastIndexOf("\n", text.start) + 1;
	const next = source.indexOf("\n", text.end);
	const end = next === -1 ? source.length : next;
	const isAlone =
		/^\s*$/.test(source.slice(start, text.keyStart)) && /^\s*(?:#.*)?$/.test(source.slice(text.end, end));
	return isAlone ? { start, end, text: "", secretFile: value } : { problem: "must have a line of its own" };
}

/** `${env:NAME}`. The settings of the service, which include its secrets, stay on the machine. */
function expand(value: string, env: Environment): { readonly value: string } | { readonly problem: string } {
	let problem: string | undefined;
	const expanded = value.replace(VARIABLE, (all, inner: string) => {
		const name = ENV.exec(inner)?.[1];
		if (name === undefined) problem = `has ${all}: only variables such as \${env:NAME} are replaced`;
		else if (name.toUpperCase().startsWith("LATCHKEY_"))
			problem = `must not name a setting of the service: ${name}`;
		else if (env[name] === undefined) problem = `needs the variable ${name}, which is not set`;
		else return env[name];
		return "";
	});
	if (problem === undefined && VARIABLE.test(value) === false && value.includes("${"))
		problem = "has a ${ without an end";
	VARIABLE.lastIndex = 0;
	return problem === undefined ? { value: expanded } : { problem };
}

/** More than a secret has: its place on the disk is taken before the secret exists. */
const RESERVED = Buffer.alloc(256, "\n");

/** A new file of mode 0600, created before the secret exists. */
export class SecretFile {
	readonly #path: string;
	readonly #file: number;
	#isWritten = false;

	/** @throws StartError for a file that exists, or without space on the disk. */
	constructor(path: string) {
		this.#path = path;
		try {
			this.#file = openReserved(path);
		} catch (cause) {
			if (cause instanceof StartError) throw cause;
			throw new StartError(`${path} cannot be written (${systemCode(cause)})`, { cause });
		}
	}

	write(secretPlain: string): void {
		const length = writeSync(this.#file, `${secretPlain}\n`, 0);
		ftruncateSync(this.#file, length);
		fsyncSync(this.#file);
		this.#isWritten = true;
	}

	[Symbol.dispose](): void {
		closeSync(this.#file);
		if (!this.#isWritten) unlinkSync(this.#path);
	}
}

function openReserved(path: string): number {
	const file = openNew(path);
	try {
		writeSync(file, RESERVED, 0, RESERVED.length, 0);
		fsyncSync(file);
		return file;
	} catch (cause) {
		closeSync(file);
		unlinkSync(path);
		throw cause;
	}
}

function openNew(path: string): number {
	try {
		return openSync(path, "wx", 0o600);
	} catch (cause) {
		if (systemCode(cause) === "EEXIST") return openLeftOver(path, cause);
		throw cause;
	}
}

/** The file without a secret that an interrupted command of this user left; its mode shows that no other user can read it. */
function openLeftOver(path: string, cause: unknown): number {
	const refusal = new StartError(`${path} exists already: a secret is never written over a file`, { cause });
	let file: number;
	try {
		file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
	} catch {
		throw refusal;
	}
	const stats = fstatSync(file);
	const isOwn = stats.isFile() && stats.nlink === 1 && stats.uid === process.geteuid?.();
	if (isOwn && (stats.mode & 0o7777) === 0o600 && isUnused(file, stats.size)) return file;
	closeSync(file);
	throw refusal;
}

function isUnused(file: number, size: number): boolean {
	if (size > RESERVED.length) return false;
	const content = Buffer.alloc(size);
	readSync(file, content, 0, size, 0);
	return content.equals(RESERVED.subarray(0, size));
}
