// `/sign-out`: an application asks to sign the user out. Only the button ends the session; opening the page does not.

import { useEffect, useState } from "preact/hooks";
import { useAction, useQuery } from "../api/query.ts";
import { send } from "../api/request.ts";
import type { Schemas } from "../api/routes.ts";
import { endSession, session } from "../api/session.ts";
import { PageFrame } from "../sign-in/frame.tsx";
import { showRequestedLanguage } from "../sign-in/interaction.ts";
import { SignedInAs } from "../sign-in/signed-in-as.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";

type RequestedSignOut = Schemas["RequestedSignOut"];

const id = new URLSearchParams(location.search).get("request") ?? "";

async function openSignOut(): Promise<RequestedSignOut> {
	const path = `/api/v1/auth/sign-outs/${encodeURIComponent(id)}`;
	const { data } = (await send("GET", path)) as { readonly data: RequestedSignOut };
	await showRequestedLanguage(data.ui_locales);
	return data;
}

function nextOf({ redirect_to, ui_locales }: RequestedSignOut): string {
	if (redirect_to !== null) return redirect_to;
	return ui_locales.length === 0 ? "/signed-out" : `/signed-out?ui_locales=${ui_locales.join("+")}`;
}

/** An application can name the user whose session it means. */
function meansAnother({ logout_hint }: RequestedSignOut): boolean {
	const { id, username, email } = session.value.user ?? {};
	return (
		logout_hint !== "" &&
		![id, username, email].some((name) => name?.toLowerCase() === logout_hint.toLowerCase())
	);
}

export function SignOutPage() {
	const t = useWords("sign-out");
	const asked = useQuery("sign-out", openSignOut);
	const [isKept, setKept] = useState(false);
	const next = asked.data && nextOf(asked.data);
	// Nothing left to confirm.
	const isOver = next !== undefined && session.value.state !== "signed-in";
	useEffect(() => {
		if (isOver) location.replace(next);
	}, [isOver]);
	if (isKept) return <StillSignedIn />;
	if (asked.data === undefined || next === undefined || isOver)
		return (
			<PageFrame title={t.title}>
				{asked.error === undefined ? (
					<Skeleton lines={4} />
				) : asked.error.status === 404 ? (
					<Notice tone="danger">{t.gone}</Notice>
				) : (
					<LoadError error={asked.error} onRetry={asked.reload} pending={asked.isLoading} />
				)}
			</PageFrame>
		);
	return <Question asked={asked.data} next={next} onKeep={() => setKept(true)} />;
}

interface QuestionProps {
	readonly asked: RequestedSignOut;
	readonly next: string;
	readonly onKeep: () => void;
}

function Question({ asked, next, onKeep }: QuestionProps) {
	const t = useWords("sign-out");
	const name = asked.application?.name;
	const signOut = useAction(async () => {
		await endSession();
		location.replace(next);
	});
	return (
		<PageFrame title={t.title} lead={name !== undefined && <bdi>{t.asks(name)}</bdi>}>
			<p>
				<SignedInAs />
			</p>
			{meansAnother(asked) && <Notice tone="warning">{t.meansAnother}</Notice>}
			<p class="lk-muted">{t.whatEnds}</p>
			{signOut.error !== undefined && (
				<Notice tone="danger">
					<ErrorText error={signOut.error} />
				</Notice>
			)}
			<Button variant="primary" wide pending={signOut.isPending} onClick={signOut.run}>
				{useWords("ui").signOut}
			</Button>
			<Button variant="quiet" wide onClick={onKeep}>
				{t.stay}
			</Button>
		</PageFrame>
	);
}

function StillSignedIn() {
	const t = useWords("sign-out");
	useEffect(() => document.querySelector("h1")?.focus(), []);
	return (
		<PageFrame title={t.keptTitle}>
			<p>{t.keptText}</p>
			<Link variant="secondary" wide href="/account">
				{t.account}
			</Link>
		</PageFrame>
	);
}
