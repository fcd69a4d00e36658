// Code for a connected web application, loaded on demand because it is rarely needed.

import { useQuery } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import type { FrameworkCodeProps } from "./framework-code.tsx";

export function FrameworkCard(props: FrameworkCodeProps) {
	const t = useWords("console-access").openid;
	const { data, error, isLoading, reload } = useQuery(
		"framework-code.tsx",
		() => import("./framework-code.tsx"),
	);
	return (
		<Card title={t.codeTitle} description={t.codeText}>
			{data !== undefined && <data.FrameworkCode {...props} />}
			{data === undefined && error === undefined && <Skeleton lines={8} />}
			{data === undefined && error !== undefined && (
				<LoadError error={error} onRetry={reload} pending={isLoading} />
			)}
		</Card>
	);
}
