// Counts the outcomes of a run, the reasons for skips, and the time of each folder.

import { relative } from "node:path";

interface Outcome {
	readonly name: string;
	/** Where the test is defined. */
	readonly file?: string | undefined;
	readonly line?: number | undefined;
	readonly details: {
		readonly type?: string | undefined;
		readonly error?: Error | undefined;
	};
	readonly skip?: string | boolean | undefined;
}

/** How many files the summary names. */
const SLOWEST = 15;
/** Characters of the reason of a failure. */
const REASON_MAX = 300;

export class Tally {
	#passed = 0;
	readonly #failures: string[] = [];
	readonly #skipped: string[] = [];
	readonly #msOfFile = new Map<string, number>();

	/**
	 * A skipped suite runs no tests and counts as one. A suite counts as failed only for its own failure, not for those
	 * of its tests.
	 */
	count({ name, file, line, details, skip }: Outcome, ok: boolean): void {
		if (skip !== undefined && skip !== false) this.skip(skip);
		else if (!ok && !failedByTests(details.error))
			this.fail(
				`${file === undefined ? name : `${name} (${relative("", file)}:${line})`}${reasonOf(details.error)}`,
			);
		else if (ok && details.type !== "suite") this.#passed++;
	}

	/** @param reason as given to the test: `no nginx on this machine` counts under `nginx`. */
	skip(reason: string | true): void {
		this.#skipped.push(reason === true ? "no reason given" : (/^no ([^\s,]+)/.exec(reason)?.[1] ?? reason));
	}

	/** @param what the test, where it is defined, and the reason */
	fail(what: string): void {
		this.#failures.push(what);
	}

	/** @param file relative to the working directory: it counts for the folder below `test/`, or for `src`. */
	addTime(file: string, milliseconds: number): void {
		add(this.#msOfFile, file, milliseconds);
	}

	get ok(): boolean {
		return this.#failures.length === 0 && this.#passed > 0;
	}

	/** The last lines of a run: seconds by folder and of the slowest files, failures, reasons for skips, and the summary. */
	lines(): string[] {
		const msOfFolder = new Map<string, number>();
		for (const [file, ms] of this.#msOfFile)
			add(msOfFolder, /^(?:test\/)?([^/]+)\//.exec(file)?.[1] ?? "test", ms);
		const result = `${this.#passed} passed, ${this.#failures.length} failed`;
		const skipped = this.#skipped.length;
		return [
			...(msOfFolder.size > 0
				? [
						`seconds by folder: ${secondsOf(msOfFolder)}`,
						`seconds of the slowest files: ${secondsOf(this.#msOfFile, SLOWEST)}`,
					]
				: []),
			...this.#failures.map((failure) => `failed: ${failure}`),
			...(skipped > 0
				? [`${skipped} skipped: ${this.#reasons()}`, `${result}, ${skipped} skipped`]
				: [result]),
		];
	}

	#reasons(): string {
		return [...Map.groupBy(this.#skipped, (reason) => reason)]
			.sort(([one, few], [other, many]) => many.length - few.length || one.localeCompare(other))
			.map(([reason, times]) => `${reason} ${times.length}`)
			.join(", ");
	}
}

function add(times: Map<string, number>, name: string, ms: number): void {
	times.set(name, (times.get(name) ?? 0) + ms);
}

/** The longest first. */
function secondsOf(times: ReadonlyMap<string, number>, count?: number): string {
	return [...times]
		.sort(([, one], [, other]) => other - one)
		.slice(0, count)
		.map(([name, ms]) => `${name} ${Math.round(ms / 1_000)}`)
		.join(", ");
}

/** In one line, so that the end of a log tells it. */
function reasonOf(error: Error | undefined): string {
	const cause = error?.cause instanceof Error ? error.cause : error;
	const line = cause?.message.replaceAll(/\s+/g, " ").trim() ?? "";
	return line === "" ? "" : `: ${line.slice(0, REASON_MAX)}`;
}

function failedByTests(error: Error | undefined): boolean {
	return error !== undefined && "failureType" in error && error.failureType === "subtestsFailed";
}
