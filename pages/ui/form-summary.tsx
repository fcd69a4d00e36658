// The errors of a form over its fields.

import { ErrorText } from "./error-text.tsx";
import { Notice } from "./notice.tsx";
import { RetryNotice } from "./retry-notice.tsx";
import { uiWords } from "./words.ts";

/** The part of an `ApiError` that a form shows. */
export interface FormError {
	readonly code: string;
	readonly message: string;
	/** The API's text, if `message` is translated. */
	readonly apiText?: string | undefined;
	readonly details?: readonly { readonly field: string; readonly message: string }[] | undefined;
	/** Of 429 and 503. */
	readonly retryAfterSeconds?: number | undefined;
}

interface Placed {
	readonly atFields: ReadonlyMap<string, string>;
	readonly elsewhere: readonly { readonly field: string; readonly message: string }[];
}

/** `ip_allowlist.2` belongs to the field of that name, or else to `ip_allowlist`. */
export function placed(error: FormError | undefined, fields: ReadonlyMap<string, string>): Placed {
	const atFields = new Map<string, string>();
	const elsewhere: { field: string; message: string }[] = [];
	for (const { field, message } of error?.details ?? []) {
		let name = field;
		while (!fields.has(name) && name.includes(".")) name = name.slice(0, name.lastIndexOf("."));
		if (!fields.has(name)) elsewhere.push({ field, message });
		else if (!atFields.has(name)) atFields.set(name, inside(field.slice(name.length + 1), message));
	}
	return { atFields, elsewhere };
}

/** A list entry is named by its position, counted from 1; other parts by their name. */
function inside(rest: string, message: string): string {
	if (rest === "") return message;
	return `${/^\d+$/.test(rest) ? Number(rest) + 1 : rest}: ${message}`;
}

interface SummaryProps {
	readonly error: FormError;
	readonly found: Placed;
	readonly fields: ReadonlyMap<string, string>;
	readonly onRetry: () => void;
}

/** Omitted if a single field shows the error. */
export function FormSummary({ error, found, fields, onRetry }: SummaryProps) {
	const { atFields, elsewhere } = found;
	if (error.retryAfterSeconds !== undefined)
		return <RetryNotice error={error} seconds={error.retryAfterSeconds} onRetry={onRetry} />;
	if (atFields.size === 0 && elsewhere.length === 0)
		return (
			<Notice tone="danger" isFormError>
				<ErrorText error={error} />
			</Notice>
		);
	if (atFields.size === 1 && elsewhere.length === 0) return null;
	const place = (name: string) => document.getElementById(fields.get(name) ?? "") as HTMLInputElement | null;
	const inOrder = ([one]: [string, string], [other]: [string, string]) => {
		const [first, second] = [place(one), place(other)];
		if (first === null || second === null) return 0;
		return first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
	};
	return (
		<Notice tone="danger" title={uiWords().errorTitle}>
			<ul class="lk-form__errors">
				{[...atFields].sort(inOrder).map(([name, message]) => (
					<li key={name}>
						<a
							class="lk-link"
							href={`#${fields.get(name) ?? ""}`}
							onClick={(event) => {
								event.preventDefault();
								place(name)?.focus();
							}}
						>
							{place(name)?.labels?.[0]?.textContent ?? name}
						</a>
						: {message}
					</li>
				))}
				{elsewhere.map(({ field, message }) => (
					<li key={field}>
						<code>{field}</code>: {message}
					</li>
				))}
			</ul>
		</Notice>
	);
}
