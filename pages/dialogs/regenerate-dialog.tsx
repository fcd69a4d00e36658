// Replaces a secret: the old one stays valid for a while, or stops working immediately.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { RadioGroup } from "../ui/choice.tsx";
import { ConfirmDialog, type ConfirmDialogProps } from "../ui/confirm-dialog.tsx";

const SECONDS = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000, none: 0 } as const;
type Overlap = keyof typeof SECONDS;

interface RegenerateDialogProps extends Omit<ConfirmDialogProps, "action" | "tone"> {
	readonly overlapLabel: string;
	/** The offered overlaps with their labels. */
	readonly overlaps: Readonly<Partial<Record<Overlap, string>>>;
	readonly atOnceHint?: string;
	/** A failure is shown in the dialog. */
	readonly regenerate: (overlap: { readonly overlap_seconds: number }) => Promise<unknown>;
	readonly children: ComponentChildren;
}

/** `typeToConfirm` applies only when the old secret stops working immediately. */
export function RegenerateDialog(props: RegenerateDialogProps) {
	const { overlapLabel, overlaps, atOnceHint, regenerate, typeToConfirm, children, ...dialog } = props;
	const [overlap, setOverlap] = useState<Overlap>("day");
	const action = useAction(() => regenerate({ overlap_seconds: SECONDS[overlap] }));
	const isAtOnce = overlap === "none";
	return (
		<ConfirmDialog
			{...dialog}
			action={action}
			tone={isAtOnce ? "danger" : "primary"}
			typeToConfirm={isAtOnce ? typeToConfirm : undefined}
		>
			<div class="lk-stack">
				{children}
				<RadioGroup
					name="overlap_seconds"
					label={overlapLabel}
					value={overlap}
					onValue={setOverlap}
					options={(Object.entries(overlaps) as [Overlap, string][]).map(([value, label]) => ({
						value,
						label,
						...(value === "none" && atOnceHint !== undefined ? { hint: atOnceHint } : {}),
					}))}
				/>
			</div>
		</ConfirmDialog>
	);
}
