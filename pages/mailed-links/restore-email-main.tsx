// Entry of `/restore-email#token`: restores the previous email address of an account. Opening the page changes nothing.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { takeLinkToken } from "../link-token.ts";
import { PageFrame } from "../sign-in/frame.tsx";
import { useShownError } from "../sign-in/shown-error.ts";
import { visitorCall } from "../sign-in/visitor-call.ts";
import { start } from "../start.tsx";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import { LinkRefusal } from "./link-refusal.tsx";

const token = takeLinkToken();

function RestoreEmailPage() {
	const { restoreEmail: t } = useWords("mailed-links");
	const [isDone, setDone] = useState(false);
	const restore = useAction(async () => {
		await visitorCall("POST /auth/email/restore", { token });
		setDone(true);
	});
	const error = useShownError(restore.error);
	if (isDone)
		return (
			<PageFrame title={t.doneTitle}>
				<Notice tone="success">{t.done}</Notice>
			</PageFrame>
		);
	if (token === "" || restore.error?.status === 404)
		return (
			<PageFrame title={t.title}>
				<LinkRefusal text={token === "" ? undefined : t.gone} />
			</PageFrame>
		);
	return (
		<PageFrame title={t.title} lead={t.text}>
			<Form onSubmit={() => restore.run()} error={error} pending={restore.isPending}>
				<ul>
					{t.consequences.map((text) => (
						<li key={text}>{text}</li>
					))}
				</ul>
				<Button type="submit" variant="danger" wide pending={restore.isPending}>
					{t.restore}
				</Button>
			</Form>
			<p class="lk-muted">{t.safe}</p>
		</PageFrame>
	);
}

await start(RestoreEmailPage);
