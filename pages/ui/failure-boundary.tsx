// Shows a notice in place of content that threw an error while rendering.

import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { uiWords } from "./words.ts";

export function FailureBoundary({ children }: { readonly children: ComponentChildren }) {
	const [error] = useErrorBoundary((thrown: unknown) => reportError(thrown));
	return error === undefined ? children : <Failed />;
}

export function Failed() {
	const t = uiWords();
	// The code of a screen that was not shown before is loaded with it.
	const isOffline = !navigator.onLine;
	useEffect(() => {
		if (!isOffline) return;
		const reload = () => location.reload();
		addEventListener("online", reload);
		return () => removeEventListener("online", reload);
	}, [isOffline]);
	return (
		<Notice
			tone="danger"
			title={isOffline ? t.offline : t.failed}
			action={<Button onClick={() => location.reload()}>{t.tryAgain}</Button>}
		/>
	);
}
