// Entry of `/reset#token`: sets a new password. Opening the page does not consume the token.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { takeLinkToken } from "../link-token.ts";
import { PageFrame } from "../sign-in/frame.tsx";
import { NewPassword } from "../sign-in/new-password.tsx";
import { NEW_PASSWORD_CODES } from "../sign-in/shown-error.ts";
import { StepForm } from "../sign-in/step-form.tsx";
import { visitorCall } from "../sign-in/visitor-call.ts";
import { start } from "../start.tsx";
import { Link } from "../ui/link.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import { LinkRefusal } from "./link-refusal.tsx";

const AT_FIELDS = Object.fromEntries(NEW_PASSWORD_CODES.map((code) => [code, "new_password"]));
const token = takeLinkToken();

function ResetPage() {
	const { reset: t, toSignIn } = useWords("mailed-links");
	const [password, setPassword] = useState("");
	const [isDone, setDone] = useState(false);
	const set = useAction(async () => {
		await visitorCall("POST /auth/password/reset", { token, new_password: password });
		setPassword("");
		setDone(true);
	});
	if (isDone)
		return (
			<PageFrame title={t.doneTitle}>
				<Notice tone="success">{t.done}</Notice>
				<Link href="/sign-in" variant="primary" wide>
					{toSignIn}
				</Link>
			</PageFrame>
		);
	if (token === "" || set.error?.status === 404)
		return (
			<PageFrame title={t.title}>
				<LinkRefusal text={token === "" ? undefined : t.gone} />
			</PageFrame>
		);
	return (
		<PageFrame title={t.title} lead={t.text}>
			<StepForm
				action={set}
				atFields={AT_FIELDS}
				submitLabel={t.set}
				below={<p class="lk-muted">{t.safe}</p>}
			>
				<NewPassword name="new_password" label={t.password} value={password} onValue={setPassword} />
			</StepForm>
		</PageFrame>
	);
}

await start(ResetPage);
