// Counts the outcomes of a run, and why tests were skipped.

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
	readonly #skipped = new Map<string, number>();

	/** A skipped suite runs none of its tests: it counts as one. A suite fails when it broke itself, not by its tests. */
	count({ details, skip }: Outcome, ok: boolean): void {
		if (skip !== undefined && skip !== false) this.skip(skip);
		else if (!ok && !failedByTests(details.error)) this.#failed++;
		else if (ok && details.type !== "suite") this.#passed++;
	}

	/** @param reason as given to the test: `no nginx on this machine` counts under `nginx`. */
	skip(reason: string | true): void {
		const name = reason === true ? "no reason given" : (/^no ([^\s,]+)/.exec(reason)?.[1] ?? reason);
		this.#skipped.set(name, (this.#skipped.get(name) ?? 0) + 1);
	}

	fail(): void {
		this.#failed++;
	}

	get ok(): boolean {
		return this.#failed === 0 && this.#passed > 0;
	}

	/** The last lines of a run: the reasons of skips where there are any, then the line that counts. */
	lines(): string[] {
		const reasons = [...this.#skipped].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
		const total = reasons.reduce((sum, [, times]) => sum + times, 0);
		const result = `${this.#passed} passed, ${this.#failed} failed`;
		if (total === 0) return [result];
		const list = reasons.map(([name, times]) => `${name} ${times}`).join(", ");
		return [`${total} skipped: ${list}`, `${result}, ${total} skipped`];
	}
}

function failedByTests(error: Error | undefined): boolean {
	return error !== undefined && "failureType" in error && error.failureType === "subtestsFailed";
}
