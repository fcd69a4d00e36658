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

export class Tally {
	#passed = 0;
	readonly #failures: string[] = [];
	readonly #skipped: string[] = [];
	readonly #msOfFolder = new Map<string, number>();

	/**
	 * A skipped suite runs no tests and counts as one. A suite counts as failed only for its own failure, not for those
	 * of its tests.
	 */
	count({ name, file, line, details, skip }: Outcome, ok: boolean): void {
		if (skip !== undefined && skip !== false) this.skip(skip);
		else if (!ok && !failedByTests(details.error))
			this.fail(file === undefined ? name : `${name} (${relative("", file)}:${line})`);
		else if (ok && details.type !== "suite") this.#passed++;
	}

	/** @param reason as given to the test: `no nginx on this machine` counts under `nginx`. */
	skip(reason: string | true): void {
		this.#skipped.push(reason === true ? "no reason given" : (/^no ([^\s,]+)/.exec(reason)?.[1] ?? reason));
	}

	/** @param what the test, and where it is defined */
	fail(what: string): void {
		this.#failures.push(what);
	}

	/** @param file relative to the working directory: it counts for the folder below `test/`, or for `src`. */
	addTime(file: string, milliseconds: number): void {
		const folder = /^(?:test\/)?([^/]+)\//.exec(file)?.[1] ?? "test";
		this.#msOfFolder.set(folder, (this.#msOfFolder.get(folder) ?? 0) + milliseconds);
	}

	get ok(): boolean {
		return this.#failures.length === 0 && this.#passed > 0;
	}

	/** The last lines of a run: seconds by folder, each failure, the reasons for skips, if any, and the summary. */
	lines(): string[] {
		const times = [...this.#msOfFolder].sort(([, one], [, other]) => other - one);
		const seconds = times.map(([name, ms]) => `${name} ${Math.round(ms / 1_000)}`).join(", ");
		const result = `${this.#passed} passed, ${this.#failures.length} failed`;
		const skipped = this.#skipped.length;
		return [
			...(times.length > 0 ? [`seconds by folder: ${seconds}`] : []),
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

function failedByTests(error: Error | undefined): boolean {
	return error !== undefined && "failureType" in error && error.failureType === "subtestsFailed";
}
