// The column that says when a grant or a membership ends.

import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";

interface Ending {
	readonly expires_at: string | null;
}

export function useEndColumn() {
	const t = useWords("console-access").grants;
	return {
		key: "ends",
		header: t.end,
		isDefault: ({ expires_at }: Ending) => expires_at === null,
		cell: ({ expires_at }: Ending) => <Time at={expires_at} format="datetime" none={t.noEnd} />,
	};
}
