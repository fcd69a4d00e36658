// A task: what it asks, and what it then does row by row.

import type { ComponentType } from "preact";

export interface Identified {
	readonly id: string;
}

/** Repeated for a row whose response was lost. */
export interface Steps<Row> {
	readonly run: (row: Row) => Promise<unknown>;
	readonly undo?: ((row: Row) => Promise<unknown>) | undefined;
}

/** The fields that an action needs. */
export interface FieldsProps<Row> {
	/** Undefined until the fields are complete. */
	readonly onSteps: (steps: Steps<Row> | undefined) => void;
}

export interface Task<Row extends Identified> {
	readonly title: string;
	/** What happens to each row. */
	readonly text?: string;
	/** Of the button. */
	readonly label: string;
	readonly tone?: "danger" | "primary" | undefined;
	readonly rows: readonly Row[];
	readonly nameOf: (row: Row) => string;
	/** Selected rows that the action does not apply to. */
	readonly leftOut?: number;
	/** Undefined if `Fields` decides. */
	readonly steps?: Steps<Row> | undefined;
	readonly Fields?: ComponentType<FieldsProps<Row>> | undefined;
	/** Shown at the field while `Fields` is incomplete. */
	readonly missing?: Readonly<Record<string, string>> | undefined;
	/** A key started it: Enter confirms. */
	readonly isQuick?: boolean;
	/** Runs without asking. */
	readonly isConfirmed?: boolean;
	/** Called after rows changed. */
	readonly onDone: (done: readonly Row[]) => void;
}
