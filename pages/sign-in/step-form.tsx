// The form of a step: its fields and a wide button. Moves the focus into itself.

import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/error.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import type { IconShape } from "../ui/icons.ts";
import { useShownError } from "./shown-error.ts";
import { useFirstFocus } from "./use-first-focus.ts";

interface StepFormProps {
	readonly action: { run(): unknown; readonly error: ApiError | undefined; readonly isPending: boolean };
	/** Default: runs the action. */
	readonly onSubmit?: () => unknown;
	/** Fields by code of the errors that are shown there. */
	readonly atFields?: Readonly<Record<string, string>> | undefined;
	/** Client-side errors by field name. */
	readonly errors?: Readonly<Record<string, string>> | undefined;
	readonly submitLabel: string;
	readonly icon?: IconShape | undefined;
	/** Selector of what gets the focus. Default: the first control. */
	readonly focus?: string | undefined;
	readonly children?: ComponentChildren;
	/** Below the button. */
	readonly below?: ComponentChildren;
}

export function StepForm({
	action,
	onSubmit = () => action.run(),
	children,
	below,
	...props
}: StepFormProps) {
	const { isPending } = action;
	const step = useFirstFocus(props.focus);
	const error = useShownError(action.error, props.atFields);
	return (
		<div ref={step}>
			<Form onSubmit={onSubmit} error={error} errors={props.errors} pending={isPending}>
				{children}
				<Button type="submit" variant="primary" wide icon={props.icon} pending={isPending}>
					{props.submitLabel}
				</Button>
				{below}
			</Form>
		</div>
	);
}
