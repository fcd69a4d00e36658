// Passes errors from a form to its fields.

import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { useUniqueId } from "./unique-id.ts";

interface FormContextValue {
	/** The error of a field, by its API name. */
	errorOf(name: string): string | undefined;
	/** Returns a function that unregisters the field. */
	register(name: string, id: string): () => void;
	/** Hides the errors of a list and its entries until the next submission. */
	dismiss(list: string): void;
}

export const FormContext = createContext<FormContextValue | undefined>(undefined);

interface FieldState {
	readonly id: string;
	readonly error: string | undefined;
	/** For `aria-describedby`. */
	readonly describedBy: string | undefined;
}

/** The id, error (its own takes precedence over the form's) and descriptions of a control. */
export function useField(
	name: string,
	own: { readonly error?: string | undefined; readonly hint?: unknown; readonly isCounted?: boolean },
): FieldState {
	const id = useUniqueId();
	const form = useContext(FormContext);
	useEffect(() => form?.register(name, id), [form, name, id]);
	const error = own.error ?? form?.errorOf(name);
	const described = [
		error !== undefined && `${id}-error`,
		own.hint !== undefined && `${id}-hint`,
		own.isCounted === true && `${id}-counter`,
	].filter(Boolean);
	return { id, error, describedBy: described.join(" ") || undefined };
}
