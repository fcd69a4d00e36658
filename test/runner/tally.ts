// Counts the outcomes of a run, the reasons for skips, and the time of each folder.

interface Outcome {
	readonly details: {
		readonly type?: string | undefined;
		readonly error?: Error | undefined;
	};
	readonly skip?: string | boolean | undefined;
}

export class Tally {
	#passed = 0;
	#failed = 0;
	readonly #skipped: string[] = [];
	readonly #msOfFolder = new Map<string, number>();

	/**
	 * A skipped suite runs no tests and counts as one. A suite counts as failed only for its own failure, not for those
	 * of its tests.
	 */
	count({ details, skip }: Outcome, ok: boolean): void {
		if (skip !== undefined && skip !== false) this.skip(skip);
		else if (!ok && !failedByTests(details.error)) this.#failed++;
		else if (ok && details.type !== "suite") this.#passed++;
	}

	/** @param reason as given to the test: `no nginx on this machine` counts under `nginx`. */
	skip(reason: string | true): void {
		this.#skipped.push(reason === true ? "no reason given" : (/^no ([^\s,]+)/.exec(reason)?.[1] ?? reason));
	}

	fail(): void {
		this.#failed++;
	}

	/** @param file relative to the working directory: it counts for the folder below `test/`, or for `src`. */
	addTime(file: string, milliseconds: number): void {
		const folder = /^(?:test\/)?([^/]+)\//.exec(file)?.[1] ?? "test";
		this.#msOfFolder.set(folder, (this.#msOfFolder.get(folder) ?? 0) + milliseconds);
	}

	get ok(): boolean {
		return this.#failed === 0 && this.#passed > 0;
	}

	/** The last lines of a run: seconds by folder, the reasons for skips, if any, and the summary. */
	lines(): string[] {
		const times = [...this.#msOfFolder].sort(([, one], [, other]) => other - one);
		const seconds = times.map(([name, ms]) => `${name} ${Math.round(ms / 1_000)}`).join(", ");
		const result = `${this.#passed} passed, ${this.#failed} failed`;
		const skipped = this.#skipped.length;
		return [
			...(times.length > 0 ? [`seconds by folder: ${seconds}`] : []),
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
