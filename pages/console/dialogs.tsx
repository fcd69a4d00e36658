// Opens the dialogs of a screen: `openDialog((close) => <GroupDialog onClose={close} />)` in a handler.

import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { navigate } from "wouter-preact/use-browser-location";
import { forgetQueries } from "../api/query.ts";
import { ConfirmAction } from "../dialogs/confirm-action.tsx";
import { openOverlay } from "./overlays.tsx";
import { readings } from "./read-again.ts";

/** It closes when the screen changes, or is read again. Its properties are those of the moment when it opens. */
export function openDialog(render: (close: () => void) => ComponentChildren): void {
	openOverlay((close) => <OfScreen onLeave={close}>{render(close)}</OfScreen>);
}

export interface Confirmation extends Omit<ComponentProps<typeof ConfirmAction>, "onClose" | "children"> {
	/** What will happen. */
	readonly text: ComponentChildren;
}

/** Asks in a dialog, then runs `act`. */
export function confirmAction({ text, ...action }: Confirmation): void {
	openDialog((close) => (
		<ConfirmAction {...action} onClose={close}>
			{text}
		</ConfirmAction>
	));
}

interface Deletion extends Omit<Confirmation, "typeToConfirm" | "onDone"> {
	readonly name: string;
	/** Path of the list that the record is in, which then opens. */
	readonly list: string;
}

/** Deletes a record after its name is typed. */
export function deleteRecord({ name, list, ...deletion }: Deletion): void {
	confirmAction({
		...deletion,
		typeToConfirm: name,
		onDone() {
			// Grants, members and counts of other lists change with it.
			forgetQueries("GET /");
			navigate(list);
		},
	});
}

interface OfScreenProps {
	readonly onLeave: () => void;
	readonly children: ComponentChildren;
}

function OfScreen({ onLeave, children }: OfScreenProps) {
	const [path] = useLocation();
	const shown = `${path} ${readings.value}`;
	const [opened] = useState(shown);
	useEffect(() => {
		if (shown !== opened) onLeave();
	}, [shown]);
	return <>{children}</>;
}
