// The public keys of an API client: the fingerprint that the reviewer compares, who added it, and what may be done with it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { check, trash } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin, isReader, mayDecide } from "../roles.ts";
import "./client.css";

type PartnerKey = Schemas["PartnerKey"];

interface PublicKeysProps {
	readonly clientId: string;
	readonly keys: readonly PartnerKey[];
	/** Beside the title. */
	readonly actions?: ComponentChildren;
	readonly onChange: () => void;
}

export function PublicKeys({ clientId, keys, actions, onChange }: PublicKeysProps) {
	const t = useWords("console-partners").keys;
	const [asked, setAsked] = useState<{ readonly act: "accept" | "remove"; readonly keyId: string }>();
	return (
		<Card title={t.title} description={keys.length === 0 ? t.none : t.text} actions={actions}>
			{keys.length > 0 && (
				<ul class="lk-client__keys">
					{keys.map((key) => (
						<li key={key.key_id} class="lk-stack">
							<CopyField label={t.fingerprint} value={key.key_id} />
							<span class="lk-row">
								{key.reviewed_at === null && (
									<Badge tone="warning" dot>
										{t.notReviewed}
									</Badge>
								)}
								{!key.live && <Badge tone="danger">{t.held}</Badge>}
								<History of={key} />
							</span>
							<span class="lk-row">
								{key.reviewed_at === null && mayDecide() && (
									<Button
										icon={check}
										size="small"
										onClick={() => setAsked({ act: "accept", keyId: key.key_id })}
									>
										{t.accept}
									</Button>
								)}
								{isAdmin() && (
									<Button
										icon={trash}
										size="small"
										onClick={() => setAsked({ act: "remove", keyId: key.key_id })}
									>
										{t.remove}
									</Button>
								)}
							</span>
						</li>
					))}
				</ul>
			)}
			{asked !== undefined && (
				<ChangeKey
					act={asked.act}
					path={{ id: clientId, key_id: asked.keyId }}
					onClose={() => setAsked(undefined)}
					onDone={onChange}
				/>
			)}
		</Card>
	);
}

interface ChangeKeyProps {
	readonly act: "accept" | "remove";
	readonly path: { readonly id: string; readonly key_id: string };
	readonly onClose: () => void;
	readonly onDone: () => void;
}

function ChangeKey({ act, path, ...dialog }: ChangeKeyProps) {
	const t = useWords("console-partners").keys;
	const isAccepted = act === "accept";
	return (
		<ConfirmAction
			{...dialog}
			size="medium"
			title={isAccepted ? t.acceptTitle : t.removeTitle}
			submitLabel={isAccepted ? t.accept : t.remove}
			tone={isAccepted ? "primary" : "danger"}
			act={() =>
				isAccepted
					? call("POST /api-clients/{id}/keys/{key_id}/accept", { path })
					: call("DELETE /api-clients/{id}/keys/{key_id}", { path })
			}
			done={isAccepted ? t.accepted : t.removed}
		>
			<div class="lk-stack">
				<p>{isAccepted ? t.acceptText : t.removeText}</p>
				<CopyField label={t.fingerprint} value={path.key_id} />
			</div>
		</ConfirmAction>
	);
}

/** When it was added, and who added or accepted it. An administrator's key counts as reviewed from the start. */
function History({ of: { created_at: at, reviewed_at: reviewedAt, reviewed_by: reviewer } }: HistoryProps) {
	const t = useWords("console-partners").keys;
	const isOfPartner = reviewedAt !== at;
	return (
		<span class="lk-muted">
			{t.added} <Time at={at} format="datetime" /> ·{" "}
			{isOfPartner ? t.byPartner : <Administrator id={reviewer} />}
			{isOfPartner && reviewedAt !== null && (
				<>
					{" · "}
					{t.acceptedAt} <Time at={reviewedAt} format="datetime" /> · <Administrator id={reviewer} />
				</>
			)}
		</span>
	);
}

interface HistoryProps {
	readonly of: PartnerKey;
}

/** By name for those who may read people. Null: a command or an admin key. */
function Administrator({ id }: { readonly id: string | null }) {
	const t = useWords("console-partners").keys;
	const isNamed = id !== null && isReader();
	const { data } = useQuery(isNamed ? `user ${id}` : undefined, async (signal) => {
		return (await call("GET /users/{id}", { path: { id: id ?? "" }, signal })).data;
	});
	if (id === null) return <>{t.byCommand}</>;
	if (data === undefined) return <>{t.byAdministrator}</>;
	return (
		<Link href={`/console/people/${id}`}>
			<bdi>{data.display_name || data.username}</bdi>
		</Link>
	);
}
