// Reports each step of a run on standard error, apart from its results.

export function progress(step: string): void {
	console.error(`measuring: ${step}`);
}
