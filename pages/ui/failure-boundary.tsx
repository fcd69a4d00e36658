// Shows a notice in place of content that threw an error while rendering.

import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { uiWords } from "./words.ts";

export function FailureBoundary({ children }: { readonly children: ComponentChildren }) {
	const [error] = useErrorBoundary((thrown: unknown) => reportError(thrown));
	return error === undefined ? children : <Failed />;
}

export function Failed() {
	const t = uiWords();
	return (
		<Notice
			tone="danger"
			title={t.failed}
			action={<Button onClick={() => location.reload()}>{t.tryAgain}</Button>}
		/>
	);
}
