// Replaces a secret: the old one stays valid for a while, or stops working immediately.

import type { ComponentChildren } from "preact";
import { useAction } from "../api/query.ts";
import { RadioGroup } from "../ui/choice.tsx";
import { FormDialog, type FormDialogProps } from "../ui/form-dialog.tsx";
import { useFields } from "../ui/use-fields.ts";

const SECONDS = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000, none: 0 } as const;
type Overlap = keyof typeof SECONDS;

interface RegenerateDialogProps extends Omit<FormDialogProps, "action" | "tone"> {
	readonly overlapLabel: string;
	/** The offered overlaps with their labels; undefined if nothing is replaced. */
	readonly overlaps: Readonly<Partial<Record<Overlap, string>>> | undefined;
	readonly atOnceHint?: string;
	/** A failure is shown in the dialog. */
	readonly regenerate: (overlap: { readonly overlap_seconds: number }) => Promise<unknown>;
	readonly children: ComponentChildren;
}

/** `typeToConfirm` applies only when the old secret stops working immediately. */
export function RegenerateDialog(props: RegenerateDialogProps) {
	const { overlapLabel, overlaps, atOnceHint, regenerate, typeToConfirm, children, ...dialog } = props;
	const { values, field } = useFields({
		overlap_seconds: (overlaps === undefined ? "none" : "day") as Overlap,
	});
	const action = useAction(() => regenerate({ overlap_seconds: SECONDS[values.overlap_seconds] }));
	const isAtOnce = overlaps !== undefined && values.overlap_seconds === "none";
	return (
		<FormDialog
			size="small"
			{...dialog}
			action={action}
			tone={isAtOnce ? "danger" : "primary"}
			typeToConfirm={isAtOnce ? typeToConfirm : undefined}
			text={
				<div class="lk-stack">
					{children}
					{overlaps !== undefined && (
						<RadioGroup
							{...field("overlap_seconds")}
							label={overlapLabel}
							options={(Object.entries(overlaps) as [Overlap, string][]).map(([value, label]) => ({
								value,
								label,
								...(value === "none" && atOnceHint !== undefined ? { hint: atOnceHint } : {}),
							}))}
						/>
					)}
				</div>
			}
		/>
	);
}
