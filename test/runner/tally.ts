// Counts the outcomes of a run, and why tests were skipped.

interface Outcome {
	readonly details: {
		readonly type?: string | undefined;
		readonly error?: Error | undefined;
	};
	readonly skip?: string | boolean | undefined;
}

interface Counts {
	passed: number;
	failed: number;
	readonly skipped: string[];
}

export class Tally {
	readonly #files = new Map<string, Counts>();
	readonly #passedAlone: string[] = [];

	/** A skipped suite runs none of its tests: it counts as one. A suite fails when it broke itself, not by its tests. */
	count(file: string, { details, skip }: Outcome, ok: boolean): void {
		const counts = this.#countsOf(file);
		if (skip !== undefined && skip !== false) this.skip(file, skip);
		else if (!ok && !failedByTests(details.error)) counts.failed++;
		else if (ok && details.type !== "suite") counts.passed++;
	}

	/** @param reason as given to the test: `no nginx on this machine` counts under `nginx`. */
	skip(file: string, reason: string | true): void {
		const name = reason === true ? "no reason given" : (/^no ([^\s,]+)/.exec(reason)?.[1] ?? reason);
		this.#countsOf(file).skipped.push(name);
	}

	fail(file: string): void {
		this.#countsOf(file).failed++;
	}

	get failedFiles(): string[] {
		return [...this.#files].filter(([, { failed }]) => failed > 0).map(([file]) => file);
	}

	/** What is counted next for this file counts instead. */
	startAgain(file: string): void {
		this.#files.delete(file);
		this.#passedAlone.push(file);
	}

	get ok(): boolean {
		return this.#sum("failed") === 0 && this.#sum("passed") > 0;
	}

	/** The last lines of a run: the files that passed only alone, the reasons of skips where there are any, then the line that counts. */
	lines(): string[] {
		const byReason = Map.groupBy(
			[...this.#files.values()].flatMap(({ skipped }) => skipped),
			(name) => name,
		);
		const reasons = [...byReason].sort(([a, m], [b, n]) => n.length - m.length || a.localeCompare(b));
		const total = reasons.reduce((sum, [, times]) => sum + times.length, 0);
		const alone = this.#passedAlone
			.filter((file) => this.#files.get(file)?.failed === 0)
			.map((file) => `failed beside other files, and passed alone: ${file}`);
		const result = `${this.#sum("passed")} passed, ${this.#sum("failed")} failed`;
		if (total === 0) return [...alone, result];
		const list = reasons.map(([name, times]) => `${name} ${times.length}`).join(", ");
		return [...alone, `${total} skipped: ${list}`, `${result}, ${total} skipped`];
	}

	#countsOf(file: string): Counts {
		const counts = this.#files.get(file) ?? { passed: 0, failed: 0, skipped: [] };
		this.#files.set(file, counts);
		return counts;
	}

	#sum(what: "passed" | "failed"): number {
		return [...this.#files.values()].reduce((sum, counts) => sum + counts[what], 0);
	}
}

function failedByTests(error: Error | undefined): boolean {
	return error !== undefined && "failureType" in error && error.failureType === "subtestsFailed";
}
