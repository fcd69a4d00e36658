// `/console/program-requests`: the queue of requests for programs and the open one.

import { call } from "../../api/client.ts";
import { usePage } from "../../api/list-state.ts";
import { useWords } from "../../words/words.ts";
import { mayDecide } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { ProgramRequestDetail } from "./program-request-detail.tsx";
import { QueueScreen } from "./queue-screen.tsx";
import { type ListedProgramRequest, PROGRAM_REQUESTS_PATH, type Queue, useRequests } from "./use-requests.ts";

const PROGRAM_REQUESTS: Queue<ListedProgramRequest> = {
	path: PROGRAM_REQUESTS_PATH,
	useList: (state, sort) => usePage("GET /program-requests", state, { query: { sort } }),
	load: async (id, signal) =>
		(await call("GET /program-requests/{id}", { path: { id }, ...(signal && { signal }) })).data,
};

export function ProgramRequests({ params: { id } }: ScreenProps) {
	const t = useWords("console-partners").programRequests;
	const requests = useRequests(PROGRAM_REQUESTS, id);
	const isQueue = requests.state.values.status === "pending";
	return (
		<QueueScreen
			requests={requests}
			openId={id}
			title={t.title}
			description={mayDecide() ? (isQueue ? t.description : undefined) : t.descriptionReader}
			search={{ label: t.search, placeholder: t.searchShort }}
			noneWaiting={t.noneWaitingText}
			textsOf={({ name, host, kind }) => ({
				title: name ?? host,
				detail: (
					<>
						<bdi>{host}</bdi>
						{kind === "change" && ` · ${t.kinds.change}`}
					</>
				),
			})}
			detailOf={(row) => <ProgramRequestDetail key={row.id} request={row} requests={requests} />}
		/>
	);
}
