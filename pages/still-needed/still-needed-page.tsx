// `/still-needed`: a partner says whether an API client is still needed. Only the button sends the reply.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import type { ApiError } from "../api/error.ts";
import { ITEM_NOTE_MAX } from "../api/limits.ts";
import { useAction, useQuery } from "../api/query.ts";
import { LinkPage } from "../portal/link-page.tsx";
import { RadioGroup } from "../ui/choice.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { Form } from "../ui/form.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextArea } from "../ui/text-area.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";

export function StillNeededPage({ token }: { readonly token: string }) {
	const t = useWords("still-needed");
	const [isDone, setDone] = useState(false);
	return (
		<LinkPage token={token} words={t} done={isDone ? <p>{t.doneText}</p> : undefined}>
			<Question token={token} onDone={() => setDone(true)} />
		</LinkPage>
	);
}

interface QuestionProps {
	readonly token: string;
	readonly onDone: () => void;
}

const ANSWERS = ["needed", "not_needed"] as const;

function Question({ token, onDone }: QuestionProps) {
	const t = useWords("still-needed");
	const [answer, setAnswer] = useState<(typeof ANSWERS)[number]>("needed");
	const [reason, setReason] = useState("");
	const shown = useQuery("still-needed", (signal) =>
		call("POST /reviews/partner-answer/preview", { body: { token }, signal }),
	);
	const send = useAction(async () => {
		await call("POST /reviews/partner-answer", { body: { token, answer, reason } });
		onDone();
	});
	const isGone = (failed: ApiError | undefined) =>
		failed?.code === "still_needed.not_found" || failed?.status === 400;
	if (isGone(shown.error) || send.error?.code === "still_needed.not_found")
		return <Notice tone="danger">{t.gone}</Notice>;
	return (
		<Loaded query={shown} lines={4}>
			{({ data: { api_client_name, due_at } }) => (
				<>
					<p>{t.intro}</p>
					<DescriptionList
						items={[
							{ term: t.client, value: api_client_name },
							{ term: t.due, value: <Time at={due_at} format="datetime" /> },
						]}
					/>
					<Form action={send} submitLabel={t.send}>
						<RadioGroup
							name="answer"
							label={t.question}
							value={answer}
							onValue={setAnswer}
							options={ANSWERS.map((value) => ({ value, label: t.answers[value] }))}
						/>
						<TextArea
							name="reason"
							label={t.reason}
							value={reason}
							onValue={setReason}
							limit={ITEM_NOTE_MAX}
							optional={answer === "not_needed"}
						/>
					</Form>
				</>
			)}
		</Loaded>
	);
}
