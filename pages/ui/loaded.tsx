// Renders loaded data: a skeleton until it arrives, or the error.

import type { ComponentChildren } from "preact";
import type { FormError } from "./form-summary.tsx";
import { LoadError } from "./load-error.tsx";
import { Skeleton } from "./skeleton.tsx";

/** The part of a query that is shown. */
export interface ShownQuery<Data> {
	readonly data: Data | undefined;
	readonly error: FormError | undefined;
	readonly isLoading: boolean;
	reload(): void;
}

interface LoadedProps<Data> {
	readonly query: ShownQuery<Data>;
	/** Lines of the skeleton. */
	readonly lines?: number;
	/** Instead of the skeleton. */
	readonly waiting?: ComponentChildren;
	readonly children: (data: Data) => ComponentChildren;
}

/** Known data stays while newer data loads, and if that fails. */
export function Loaded<Data>({
	query,
	lines = 8,
	waiting = <Skeleton lines={lines} />,
	children,
}: LoadedProps<Data>) {
	const { data, error, isLoading, reload } = query;
	if (data !== undefined) return <>{children(data)}</>;
	if (error === undefined) return <>{waiting}</>;
	return <LoadError error={error} onRetry={reload} pending={isLoading} />;
}
