// `/console`: waiting requests, what needs attention, and recent activity.

import { session } from "../../api/session.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { useWords } from "../../words/words.ts";
import { isReader } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { Activity } from "./activity.tsx";
import { Attention } from "./attention.tsx";
import "./overview.css";
import { WaitingRequests } from "./waiting-requests.tsx";

export function Overview() {
	const t = useWords("console").overview;
	const { user } = session.value;
	useScreenTitle(t.title);
	const name = user?.display_name || user?.username || "";
	return (
		<>
			<PageHeader title={t.title} description={t.greeting(name)} />
			<div class="lk-stack">
				<div class={isReader() ? "lk-overview__first" : "lk-stack"}>
					<WaitingRequests />
					{isReader() && <Attention />}
				</div>
				{isReader() && <Activity />}
			</div>
		</>
	);
}
