// Whether the trail is unchanged: the service verifies the newest events and shows where the chain ends.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { CopyField } from "../../ui/copy-field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronForward, danger, success } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";

export function ChainState() {
	const { data, error, isLoading, reload } = useQuery("GET /audit-events/chain", (signal) =>
		call("GET /audit-events/chain", { signal }),
	);
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton height="2.75rem" />;
	return <Chain chain={data.data} />;
}

function Chain({ chain }: { readonly chain: Schemas["AuditChain"] }) {
	const t = useWords("console-audit");
	const { broken_at, checked, last_hash, last_sequence, last_at, pruned_up_to, pruned_at } = chain;
	const isWhole = broken_at === null;
	return (
		<details class={isWhole ? "lk-chain" : "lk-chain lk-chain--broken"} open={!isWhole}>
			<summary>
				<Icon shape={isWhole ? success : danger} />
				<span>{isWhole ? t.chainWhole(checked, last_sequence) : t.chainBroken(broken_at)}</span>
				<Icon shape={chevronForward} mirrored />
			</summary>
			<div class="lk-stack">
				<p>{isWhole ? t.chainText : t.chainBrokenText}</p>
				<CopyField label={t.lastHash(format.number(last_sequence))} value={last_hash} />
				{last_at !== null && (
					<p class="lk-muted">
						{t.lastAt} <Time at={last_at} format="datetime" />
					</p>
				)}
				{pruned_at !== null && (
					<p class="lk-muted">
						{t.pruned(pruned_up_to)} <Time at={pruned_at} format="date" />
					</p>
				)}
				<p class="lk-muted">
					{t.verifyAll} <code dir="ltr">latchkey audit verify</code>
				</p>
			</div>
		</details>
	);
}
