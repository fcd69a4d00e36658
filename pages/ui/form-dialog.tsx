// A dialog that contains one form, with its submit and cancel buttons.

import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";
import { Form, type FormProps } from "./form.tsx";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

interface FormDialogProps
	extends Pick<DialogProps, "title" | "onClose" | "size" | "children">,
		Pick<FormProps, "action" | "onSubmit" | "errors"> {
	readonly submitLabel: string;
	/** Default: "Cancel". */
	readonly closeLabel?: string | undefined;
}

export function FormDialog({ title, onClose, size, submitLabel, closeLabel, ...form }: FormDialogProps) {
	const id = useUniqueId();
	const actions = (
		<>
			<Button onClick={onClose}>{closeLabel ?? uiWords().cancel}</Button>
			<Button type="submit" form={id} variant="primary" pending={form.action?.isPending}>
				{submitLabel}
			</Button>
		</>
	);
	return (
		<Dialog onClose={onClose} title={title} actions={actions} size={size}>
			<Form id={id} {...form} />
		</Dialog>
	);
}
