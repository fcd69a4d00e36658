// Reads the open screen again, from the start.

import { signal } from "@preact/signals";
import { forgetQueries } from "../api/query.ts";

/** Counts the times that the screen is read again. */
export const readings = signal(0);

/** Discards what the screen shows, with its dialogs, and reads it again. */
export function readScreenAgain(): void {
	forgetQueries("");
	readings.value++;
}
