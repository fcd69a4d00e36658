// `/program?request=…`: a program that names itself by the URL of its document wants to sign the user in, and no reviewer
// approved it. The page never returns to the program by itself, except to continue once the program is approved.

import { useEffect } from "preact/hooks";
import { PageFrame } from "../sign-in/frame.tsx";
import { ProgramHosts } from "../sign-in/program-hosts.tsx";
import { useShownError } from "../sign-in/shown-error.ts";
import { SignedInAs } from "../sign-in/signed-in-as.tsx";
import { brand } from "../ui/branding.ts";
import { Button } from "../ui/button.tsx";
import { EntryList } from "../ui/entry-list.tsx";
import { check } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { AskForm } from "./ask-form.tsx";
import { type AskedProgram, useAskedProgram, type WaitingProgram } from "./use-asked-program.ts";

const id = new URLSearchParams(location.search).get("request") ?? "";

export function ProgramPage() {
	const t = useWords("program");
	const waiting = useAskedProgram(id);
	const { data, error, isLoading, reload } = waiting.query;
	const shown = useShownError(data === undefined || error?.status === 404 ? error : undefined);
	if (data !== undefined && error?.status !== 404) return <Program program={data} waiting={waiting} />;
	return (
		<PageFrame title={t.title}>
			{error === undefined || shown === undefined ? (
				<Skeleton lines={6} />
			) : error.status === 404 ? (
				<Notice tone="danger">{t.gone}</Notice>
			) : (
				<LoadError error={shown} onRetry={reload} pending={isLoading} />
			)}
		</PageFrame>
	);
}

interface ProgramProps {
	readonly program: AskedProgram;
	readonly waiting: WaitingProgram;
}

function Program({ program, waiting }: ProgramProps) {
	const t = useWords("program");
	const { state, has_asked: hasAsked } = program;
	if (state === "approved") return <Continuing program={program} />;
	const isWaiting = state === "pending" && hasAsked;
	const title = isWaiting ? t.waitingTitle : state === "pending" ? t.title : t.titles[state];
	return (
		<PageFrame title={title} lead={<bdi>{t.wants(program.host)}</bdi>} below={<SignedInAs />}>
			{program.name === null && <Notice title={t.unread(brand.value.product_name)}>{t.unreadText}</Notice>}
			<ProgramHosts program={program} />
			{program.name !== null && <p class="lk-muted">{t.named(program.name, program.host)}</p>}
			<Apis names={program.apis} />
			{isWaiting ? (
				<Waiting waiting={waiting} />
			) : state === "suspended" ? (
				<Notice tone="warning">{t.suspended}</Notice>
			) : (
				<>
					{state === "rejected" && <Rejection note={program.review_note} />}
					{program.takes_requests ? (
						<AskForm id={id} isAgain={state === "rejected"} onAsked={waiting.wait} />
					) : (
						<Notice tone="warning">{t.notTaken}</Notice>
					)}
				</>
			)}
			{program.deny_url !== null && (
				<Link variant="secondary" wide href={program.deny_url}>
					<bdi>{t.deny(program.redirect_host)}</bdi>
				</Link>
			)}
		</PageFrame>
	);
}

function Apis({ names }: { readonly names: readonly string[] }) {
	const t = useWords("program");
	if (names.length === 0) return <p class="lk-muted">{t.noApis}</p>;
	const entries = names.map((title) => ({ key: title, icon: check, title }));
	return (
		<>
			<p class="lk-muted">{t.apis}</p>
			<EntryList inset label={t.apis} entries={entries} />
		</>
	);
}

function Waiting({ waiting: { hasWaited, query, wait } }: { readonly waiting: WaitingProgram }) {
	const t = useWords("program");
	useEffect(() => document.querySelector("h1")?.focus(), []);
	if (query.error !== undefined)
		return <LoadError error={query.error} onRetry={wait} pending={query.isLoading} />;
	return hasWaited ? (
		<>
			<p role="status">{t.waited}</p>
			<Button variant="primary" wide onClick={wait}>
				{t.lookAgain}
			</Button>
		</>
	) : (
		<p role="status">{t.waiting}</p>
	);
}

function Rejection({ note }: { readonly note: string }) {
	const t = useWords("program");
	return (
		<Notice tone="warning" title={t.rejected}>
			<span dir="auto">{note}</span>
		</Notice>
	);
}

/** Continues with the request of the program, which asks for consent. */
function Continuing({ program: { continue_url: url, host } }: { readonly program: AskedProgram }) {
	const t = useWords("program");
	useEffect(() => {
		if (url !== null) location.replace(url);
	}, [url]);
	return (
		<PageFrame title={t.approvedTitle} lead={<bdi>{t.approved(host)}</bdi>}>
			{url !== null && (
				<Link variant="primary" wide href={url}>
					{t.continue}
				</Link>
			)}
		</PageFrame>
	);
}
