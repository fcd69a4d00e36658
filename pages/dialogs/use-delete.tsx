// Deletes a record after its name is typed, then opens the list that it was in.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { forgetQueries } from "../api/query.ts";
import { ConfirmAction } from "./confirm-action.tsx";

interface Deletion {
	readonly name: string;
	readonly title: string;
	/** What is deleted with the record. */
	readonly text: ComponentChildren;
	readonly submitLabel: string;
	readonly done: string;
	/** Path of the list. */
	readonly list: string;
	readonly act: () => Promise<unknown>;
}

/** `dialog` is undefined until `ask` is called. */
export function useDelete({ name, text, list, act, ...texts }: Deletion) {
	const [, navigate] = useLocation();
	const [isAsking, setAsking] = useState(false);
	const dialog = isAsking ? (
		<ConfirmAction
			{...texts}
			typeToConfirm={name}
			act={act}
			onClose={() => setAsking(false)}
			onDone={() => {
				// Grants, members and counts of other lists change with it.
				forgetQueries("GET /");
				navigate(list);
			}}
		>
			{text}
		</ConfirmAction>
	) : undefined;
	return { ask: () => setAsking(true), dialog };
}
