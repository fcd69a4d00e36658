// Loads the later steps with their words, to keep the first view within its budget.

import { loadWords } from "../words/words.ts";

export async function loadLaterSteps(): Promise<typeof import("./later-steps.ts")> {
	const [steps] = await Promise.all([import("./later-steps.ts"), loadWords(["sign-in-steps", "sign-in"])]);
	return steps;
}
