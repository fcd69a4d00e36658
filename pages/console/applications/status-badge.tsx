// Whether an application is active.

import { Badge } from "../../ui/badge.tsx";
import { useWords } from "../../words/words.ts";

export function StatusBadge({ status }: { readonly status: "active" | "disabled" }) {
	const t = useWords("console-access").applications;
	return (
		<Badge dot={status !== "active"} tone={status === "active" ? "plain" : "neutral"}>
			{t[status]}
		</Badge>
	);
}
