// `/support`: what a supporter reads of a person. Only the button opens the session; its token stays in memory.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { endSupport } from "../api/end-support.ts";
import { useAction, useQuery } from "../api/query.ts";
import { send } from "../api/request.ts";
import type { ResponseOf, Schemas } from "../api/routes.ts";
import { useDocumentTitle } from "../document-title.ts";
import { AccountShell } from "../ui/account-shell.tsx";
import { BadgeList } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { EntryList } from "../ui/entry-list.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { application } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";

type Opened = Schemas["SupportSessionOpened"];

export function SupportPage({ token }: { readonly token: string }) {
	const t = useWords("support");
	const [opened, setOpened] = useState<Opened>();
	const [isEnded, setEnded] = useState(false);
	const open = useAction(async () => {
		setOpened((await call("POST /support-sessions/open", { body: { token } })).data);
	});
	useDocumentTitle(t.title);
	return (
		<AccountShell homeHref="/support" current="/support">
			{isEnded ? (
				<>
					<PageHeader title={t.endedTitle} />
					<p>{t.endedText}</p>
				</>
			) : opened === undefined ? (
				<>
					<PageHeader title={t.title} />
					{token === "" ? (
						<Notice tone="danger">{t.noToken}</Notice>
					) : (
						<>
							<p>{t.intro}</p>
							<ErrorNotice error={open.error} />
							<Button variant="primary" pending={open.isPending} onClick={() => open.run()}>
								{t.open}
							</Button>
						</>
					)}
				</>
			) : (
				<Account opened={opened} onEnded={() => setEnded(true)} />
			)}
		</AccountShell>
	);
}

function Account({ opened, onEnded }: { readonly opened: Opened; readonly onEnded: () => void }) {
	const t = useWords("support");
	const { id, user, application: read } = opened;
	const end = useAction(async () => {
		await endSupport(id);
		onEnded();
	});
	const name = user.display_name || user.username;
	useEffect(() => {
		const left = setTimeout(onEnded, opened.expires_in * 1_000);
		return () => clearTimeout(left);
	}, []);
	return (
		<>
			<Notice
				tone="warning"
				title={t.bar(opened.supporter_name, name)}
				action={
					<Button size="small" pending={end.isPending} onClick={() => end.run()}>
						{t.end}
					</Button>
				}
			>
				<bdi>{opened.reason}</bdi> · {t.until} <Time at={opened.expires_at} format="datetime" />
				{end.error !== undefined && <ErrorText error={end.error} />}
			</Notice>
			<PageHeader title={name} description={<bdi>{user.email}</bdi>} />
			<div class="lk-stack">
				<Card title={t.profile}>
					<DescriptionList
						items={[
							{ term: t.username, value: user.username },
							{ term: t.emailVerified, value: user.email_verified ? t.yes : t.no },
							{ term: t.secondFactor, value: user.mfa_enabled ? t.yes : t.no },
							{ term: t.lastSignIn, value: <Time at={user.last_login_at} none={t.never} /> },
						]}
					/>
				</Card>
				{read !== null && read.url !== null && (
					<Card title={read.name} description={t.applicationText}>
						<Link variant="secondary" href={read.url}>
							{t.openApplication}
						</Link>
					</Card>
				)}
				<Grants token={opened.access_token} />
				<Requests token={opened.access_token} />
			</div>
		</>
	);
}

/** Reads with the token of the support session, which is never renewed. */
function useRead<R extends "GET /users/me/grants" | "GET /users/me/requests">(route: R, token: string) {
	const path = `/api/v1${route.slice("GET ".length)}?page_size=100`;
	return useQuery(
		route,
		(signal) => send("GET", path, { accessToken: token, signal }) as Promise<ResponseOf<R>>,
	);
}

function Grants({ token }: { readonly token: string }) {
	const t = useWords("support");
	const grants = useRead("GET /users/me/grants", token);
	return (
		<Card title={t.access} flush>
			<Loaded query={grants} lines={3}>
				{({ data }) => (
					<EntryList
						label={t.access}
						entries={data.map(({ id, app_name, roles }) => ({
							key: id,
							icon: application,
							title: app_name,
							detail: <BadgeList names={roles} none={t.noRoles} />,
						}))}
					/>
				)}
			</Loaded>
		</Card>
	);
}

function Requests({ token }: { readonly token: string }) {
	const t = useWords("support");
	const { data } = useRead("GET /users/me/requests", token);
	if (data === undefined || data.data.length === 0) return null;
	return (
		<Card title={t.requests} flush>
			<EntryList
				label={t.requests}
				entries={data.data.map(({ id, app_name, status, created_at }) => ({
					key: id,
					icon: application,
					title: app_name,
					detail: (
						<>
							{t.statuses[status]} · <Time at={created_at} />
						</>
					),
				}))}
			/>
		</Card>
	);
}
