// A form: shows the API's error at each field and focuses the first.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import "./form.css";
import { Button } from "./button.tsx";
import { FormActions } from "./form-actions.tsx";
import { FormContext } from "./form-context.ts";
import { type FormError, FormSummary, placed } from "./form-summary.tsx";

export type { FormError };

/** What a form submits: an action of the screen. */
export interface Submission {
	run(): unknown;
	readonly error: FormError | undefined;
	readonly isPending: boolean;
}

export interface FormProps {
	readonly action?: Submission | undefined;
	/** Default: from `action`. */
	readonly onSubmit?: (() => unknown) | undefined;
	/** Default: from `action`. */
	readonly error?: FormError | undefined;
	/** Client-side errors by field name. Changes move the focus to the first. */
	readonly errors?: Readonly<Record<string, string>> | undefined;
	/** While true, submitting again does nothing. Default: from `action`. */
	readonly pending?: boolean | undefined;
	readonly children: ComponentChildren;
	/** Adds a primary button below the fields. */
	readonly submitLabel?: string | undefined;
	/** For a button outside the form, by its attribute `form`. */
	readonly id?: string | undefined;
}

export function Form({ action, errors, children, id, submitLabel, ...props }: FormProps) {
	const { onSubmit = action?.run, error = action?.error, pending = action?.isPending ?? false } = props;
	const form = useRef<HTMLFormElement>(null);
	const [edited, setEdited] = useState<ReadonlySet<string>>(new Set());
	const fields = useRef(new Map<string, string>());
	const found = useMemo(() => placed(error, fields.current), [error]);
	// Compared by content, because callers may pass an inline object.
	const errorsKey = JSON.stringify(errors);
	const context = useMemo(
		() => ({
			errorOf: (name: string) =>
				edited.has(name) ? undefined : (errors?.[name] ?? found.atFields.get(name)),
			register(name: string, fieldId: string) {
				fields.current.set(name, fieldId);
				return () => fields.current.delete(name);
			},
			dismiss(list: string) {
				const names = [...fields.current.keys()].filter((name) => `${name}.`.startsWith(`${list}.`));
				setEdited((before) => new Set([...before, ...names]));
			},
		}),
		[found, errorsKey, edited],
	);

	useEffect(() => {
		if (error === undefined && errors === undefined) return;
		const first = form.current?.querySelector<HTMLElement>("[aria-invalid=true], [data-form-error]");
		first?.focus();
	}, [error, errorsKey]);

	const send = (event?: Event) => {
		event?.preventDefault();
		if (pending) return;
		setEdited(new Set());
		onSubmit?.();
	};
	return (
		<FormContext.Provider value={context}>
			<form
				ref={form}
				id={id}
				class="lk-form lk-stack"
				noValidate
				aria-busy={pending ? "true" : undefined}
				onSubmit={send}
				onInput={({ target }) => {
					const { name } = target as HTMLInputElement;
					const isShown = errors?.[name] !== undefined || found.atFields.has(name);
					if (isShown && !edited.has(name)) setEdited(new Set([...edited, name]));
				}}
			>
				{error !== undefined && (
					<FormSummary error={error} found={found} fields={fields.current} onRetry={send} />
				)}
				{children}
				{submitLabel !== undefined && (
					<FormActions>
						<Button type="submit" variant="primary" pending={pending}>
							{submitLabel}
						</Button>
					</FormActions>
				)}
			</form>
		</FormContext.Provider>
	);
}
