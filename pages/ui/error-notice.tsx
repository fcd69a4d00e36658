// The error of an action that has no form; nothing without one.

import { ErrorText, type ShownError } from "./error-text.tsx";
import { Notice } from "./notice.tsx";

export function ErrorNotice({ error }: { readonly error: ShownError | undefined }) {
	return (
		error && (
			<Notice tone="danger">
				<ErrorText error={error} />
			</Notice>
		)
	);
}
