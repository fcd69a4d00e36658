// `/console/requests`: the queue of access requests and the open one.

import { callFile } from "../../api/client.ts";
import { session } from "../../api/session.ts";
import { namedSlug, useTenant } from "../../api/tenant.ts";
import { Link } from "../../ui/link.tsx";
import { useWords } from "../../words/words.ts";
import { ExportFile } from "../export/export-file.tsx";
import { mayDecide } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { bulkReject } from "./bulk-reject.tsx";
import { QueueScreen } from "./queue-screen.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { ACCESS_REQUESTS, type AccessRequest, useRequests } from "./use-requests.ts";

export function Requests({ params: { id } }: ScreenProps) {
	const t = useWords("console-partners").requests;
	const requests = useRequests(ACCESS_REQUESTS, id);
	const isQueue = requests.state.values.status === "pending";
	return (
		<QueueScreen
			requests={requests}
			openId={id}
			title={t.title}
			description={mayDecide() ? (isQueue ? t.description : undefined) : t.descriptionReader}
			actions={
				<>
					<ExportFile
						list="access-requests"
						state={requests.state}
						load={(query, signal) => callFile("GET /access-requests", { query, signal })}
					/>
					<FormLink />
				</>
			}
			search={{ label: t.search, placeholder: t.searchShort }}
			noneWaiting={t.noneWaitingText}
			bulkActions={mayDecide() ? [bulkReject(t, requests.update)] : undefined}
			textsOf={(row) => ({ title: row.project_name, detail: <Applicant request={row} /> })}
			detailOf={(row) => <RequestDetail key={row.id} request={row} requests={requests} />}
		/>
	);
}

function Applicant({ request: { applicant_name: name, company } }: { readonly request: AccessRequest }) {
	return (
		<>
			<bdi>{name}</bdi>
			{company !== "" && (
				<>
					{" · "}
					<bdi>{company}</bdi>
				</>
			)}
		</>
	);
}

/** The URL of the request form for partners of this tenant. */
function FormLink() {
	const t = useWords("console-partners").requests;
	const { data } = useTenant(session.value.user?.tenant_id);
	if (data === undefined) return null;
	const slug = namedSlug(data);
	return (
		<Link href={slug === undefined ? "/portal" : `/portal?tenant=${slug}`} variant="quiet" external>
			{t.openForm}
		</Link>
	);
}
