// The directory (SCIM) of a provider: what to enter at Entra ID or Okta, its token, and what it sent.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Link } from "../../ui/link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { confirmAction, openDialog } from "../dialogs.tsx";
import { LoadedCard } from "../loaded-card.tsx";
import { isAdmin } from "../roles.ts";
import {
	type Directory,
	DirectorySettingsDialog,
	settingsOf,
	useApplications,
} from "./directory-settings.tsx";
import type { Provider } from "./provider-kinds.ts";

const LIST = "GET /identity-providers/{id}/directory";
const EVENTS_PER_PAGE = 50;

interface DirectoryProps {
	readonly provider: Provider;
}

/** Loaded when it is opened: most providers have no directory. */
export function DirectoryCard({ provider }: DirectoryProps) {
	const t = useWords("console-settings").providers.directory;
	const [isOpen, setOpen] = useState(false);
	if (isOpen) return <OpenDirectory provider={provider} />;
	return (
		<Card
			title={t.title}
			description={t.text}
			actions={<Button onClick={() => setOpen(true)}>{t.open}</Button>}
		/>
	);
}

function OpenDirectory({ provider: { id, display_name, kind, issuer, subject_claim } }: DirectoryProps) {
	const t = useWords("console-settings").providers.directory;
	const path = { id };
	const query = useQuery(`directory ${id}`, (signal) => call(LIST, { path, signal }));
	const applications = useApplications();
	const changed = () => {
		forgetQueries(LIST);
		query.reload();
	};
	const showToken = ({ token, url }: Schemas["DirectoryWithToken"]) => {
		if (token !== undefined)
			openDialog((close) => (
				<SecretOnceDialog
					title={t.tokenTitle}
					onClose={close}
					doneLabel={t.done}
					keptLabel={t.tokenKept}
					warning={t.tokenOnce}
					before={<CopyField label={t.url} value={url} />}
					secrets={[{ label: t.token, value: token }]}
				>
					{t.testThere}
				</SecretOnceDialog>
			));
		changed();
	};
	const setUp = useAction(async () => {
		const { data } = await call("PUT /identity-providers/{id}/directory", {
			path,
			body: { on_remove: "disable" },
		});
		showToken(data);
	});
	const rotate = useAction(async () => {
		const body = { overlap_seconds: 86_400 };
		const { data } = await call("POST /identity-providers/{id}/directory/rotate-token", { path, body });
		showToken(data);
	});
	const change = (directory: Directory) =>
		openDialog((close) => (
			<DirectorySettingsDialog
				id={id}
				directory={directory}
				applications={applications}
				onClose={close}
				onSaved={changed}
			/>
		));
	const remove = () =>
		confirmAction({
			title: t.removeTitle(display_name),
			text: t.removeText,
			submitLabel: t.remove,
			act: () => call("DELETE /identity-providers/{id}/directory", { path }),
			done: t.removed,
			onDone: changed,
		});
	const directory = query.error === undefined ? query.data?.data : undefined;
	const until = directory?.previous_token_expires_at ?? null;
	// There, externalId is the object id, which only oid contains.
	const isEntra = kind === "microsoft" || issuer?.startsWith("https://login.microsoftonline.com/") === true;
	const failure = setUp.error ?? rotate.error;
	return (
		<>
			<Card
				title={t.title}
				description={t.text}
				actions={
					isAdmin() &&
					(directory === undefined ? (
						<Button pending={setUp.isPending || query.isLoading} onClick={() => setUp.run()}>
							{t.setUp}
						</Button>
					) : (
						<span class="lk-row">
							<Button pending={rotate.isPending} onClick={() => rotate.run()}>
								{t.rotate}
							</Button>
							<Button onClick={() => change(directory)}>{t.change}</Button>
							<Button variant="danger" onClick={remove}>
								{t.removeAsk}
							</Button>
						</span>
					))
				}
			>
				<ErrorNotice error={failure} />
				{directory !== undefined && (
					<div class="lk-stack">
						<CopyField label={t.url} value={directory.url} />
						{isEntra && subject_claim === "sub" && <Notice tone="warning">{t.entraNeedsOid}</Notice>}
						<DescriptionList
							items={[
								{ term: t.atEntra, value: t.entraText },
								{ term: t.atOkta, value: t.oktaText },
								{ term: t.token, value: <code>{`lks_…${directory.token_hint}`}</code> },
								until !== null && { term: t.previousToken, value: <Time at={until} format="datetime" /> },
								{ term: t.has, value: t.counts(directory.people, directory.groups) },
								...settingsOf(directory, applications, t),
							]}
						/>
					</div>
				)}
				<div>
					<Link href="/docs/directories">{t.guide}</Link>
				</div>
			</Card>
			{directory !== undefined && <DirectoryEvents id={id} />}
		</>
	);
}

function DirectoryEvents({ id }: { readonly id: string }) {
	const t = useWords("console-settings").providers.directory;
	const [page, setPage] = useState(1);
	const query = { page, page_size: EVENTS_PER_PAGE };
	const list = useCall("GET /identity-providers/{id}/directory/events", { path: { id }, query });
	return (
		<LoadedCard title={t.events} description={t.eventsText} reloadLabel={t.reload} none={t.none} list={list}>
			{(rows) => (
				<div class="lk-stack">
					{rows.map((event) => (
						<details key={event.id}>
							<summary>
								<Time at={event.at} format="datetime" />{" "}
								<bdi lang="en">{`${event.method} ${event.path} → ${event.status}`}</bdi>
							</summary>
							<DescriptionList
								items={[
									{ term: t.detail, value: event.detail },
									{ term: t.sent, value: event.sent },
									{ term: t.returned, value: event.answered },
								]}
							/>
						</details>
					))}
					<Pagination page={page} pageSize={EVENTS_PER_PAGE} total={list.data?.total ?? 0} onPage={setPage} />
				</div>
			)}
		</LoadedCard>
	);
}
