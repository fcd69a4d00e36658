// The last refused calls of one API client or OAuth client, or at one gate.

import { useCall } from "../../api/use-call.ts";
import { useWords } from "../../words/words.ts";
import { LoadedCard } from "../loaded-card.tsx";
import type { Refusal } from "./refusal.ts";
import { RefusalGroups } from "./refusal-groups.tsx";

/** One page; the API keeps at most this many of an API client or OAuth client. */
const LOADED_MAX = 100;
const SHOWN_MAX = 5;

interface RefusalsCardProps {
	readonly subject: Refusal["subject"];
	/** Of the API client, or of the application of the OAuth client or gate. */
	readonly id: string;
	readonly onExplain?: ((refusal: Refusal) => void) | undefined;
	readonly onRepaired?: () => void;
}

export function RefusalsCard({ subject, id, ...actions }: RefusalsCardProps) {
	const t = useWords("console-refusals");
	const words = t.cards[subject];
	const record = subject === "api_client" ? "api_client_id" : "application_id";
	const filter = { subject, [record]: id };
	const list = useCall("GET /refusals", { query: { ...filter, page_size: LOADED_MAX } });
	return (
		<LoadedCard
			title={words.title}
			description={words.text}
			reloadLabel={t.reload}
			none={words.none}
			list={list}
		>
			{(rows) => (
				<>
					<RefusalGroups refusals={rows} shownMax={SHOWN_MAX} {...actions} />
					<p class="lk-refusal__note">
						{words.kept}{" "}
						<a class="lk-link" href={`/console/refusals?${new URLSearchParams(filter)}`}>
							{t.allRefusals}
						</a>
					</p>
				</>
			)}
		</LoadedCard>
	);
}
