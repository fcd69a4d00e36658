// The open request of a user for roles of an application.

import { session } from "../../api/session.ts";
import { BadgeList } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { ApprovePersonForm } from "./approve-person-form.tsx";
import { Decision } from "./decision.tsx";
import { type DetailProps, RequestFrame, RequestTitle } from "./request-frame.tsx";
import { askerOf, type PersonRequest } from "./request-texts.tsx";

export function PersonDetail(props: DetailProps<PersonRequest>) {
	const t = useWords("console-partners").personRequests;
	const { request, requests, onOvertaken } = props;
	const isOwn = request.user_id === session.value.user?.id;
	return (
		<RequestFrame
			{...props}
			isReady={!isOwn}
			recipients={1}
			notices={isOwn && request.status === "pending" && <Notice>{t.own}</Notice>}
			approveForm={<ApprovePersonForm request={request} requests={requests} onOvertaken={onOvertaken} />}
		>
			<Card>
				<RequestTitle request={request} />
				<p class="lk-request__purpose" dir="auto">
					{request.reason}
				</p>
				<DescriptionList
					items={[
						{ term: t.person, value: `${askerOf(request)} (${request.username})` },
						{ term: t.roles, value: <BadgeList names={request.roles} none={t.noRoles} /> },
						{ term: t.until, value: <Time at={request.until} format="datetime" /> },
						{ term: t.since, value: <Time at={request.created_at} format="datetime" /> },
					]}
				/>
			</Card>
			{request.status !== "pending" && <Decision request={request} recipients={1} />}
		</RequestFrame>
	);
}
