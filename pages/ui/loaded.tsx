// Renders loaded data: a skeleton until it arrives, or the error.

import type { ComponentChildren } from "preact";
import type { FormError } from "./form-summary.tsx";
import { LoadError } from "./load-error.tsx";
import { Skeleton } from "./skeleton.tsx";

interface LoadedProps<Data> {
	readonly query: {
		readonly data: Data | undefined;
		readonly error: FormError | undefined;
		readonly isLoading: boolean;
		reload(): void;
	};
	/** Lines of the skeleton. */
	readonly lines?: number;
	readonly children: (data: Data) => ComponentChildren;
}

/** Known data stays while newer data loads, and if that fails. */
export function Loaded<Data>({ query, lines = 8, children }: LoadedProps<Data>) {
	const { data, error, isLoading, reload } = query;
	if (data !== undefined) return <>{children(data)}</>;
	if (error === undefined) return <Skeleton lines={lines} />;
	return <LoadError error={error} onRetry={reload} pending={isLoading} />;
}
