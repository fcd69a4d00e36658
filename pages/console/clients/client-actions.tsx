// What an administrator does with a client: a new Secret, disable, enable, delete.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { RegenerateDialog } from "../../dialogs/regenerate-dialog.tsx";
import { useAskedInUrl } from "../../ui/asked-in-url.ts";
import { Button } from "../../ui/button.tsx";
import { refresh, trash } from "../../ui/icons.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useWords } from "../../words/words.ts";
import { deleteRecord } from "../dialogs.tsx";
import {
	CLIENTS_PATH,
	type ClientChangeProps,
	type ClientWithSecret,
	hasSecret,
	ROTATE_HASH,
} from "./client-record.ts";
import { SecretDialog } from "./secret-dialog.tsx";

export function ClientActions({ client, onChange }: ClientChangeProps) {
	const t = useWords("console-partners").clients;
	const [asked, setAsked] = useState<"renew" | "status">();
	const close = () => setAsked(undefined);
	const path = { id: client.id };
	const isDisabled = client.status === "disabled";
	const isRenewable = hasSecret(client);
	useAskedInUrl(isRenewable ? ROTATE_HASH : undefined, () => setAsked("renew"));
	const remove = () =>
		deleteRecord({
			name: client.name,
			title: t.deleteTitle(client.name),
			text: t.deleteText,
			submitLabel: t.delete,
			done: t.deleted(client.name),
			list: CLIENTS_PATH,
			act: () => call("DELETE /api-clients/{id}", { path }),
		});
	const items: MenuItem[] = [
		{ label: isDisabled ? t.enable : t.disable, onSelect: () => setAsked("status") },
		{ label: t.delete, icon: trash, tone: "danger", startsGroup: true, onSelect: remove },
	];
	return (
		<>
			{isRenewable && (
				<Button icon={refresh} onClick={() => setAsked("renew")}>
					{t.renew}
				</Button>
			)}
			<Menu items={items} label={t.actionsOf(client.name)} />
			{asked === "renew" && <RenewSecret client={client} onClose={close} onChange={onChange} />}
			{asked === "status" && (
				<ConfirmAction
					title={isDisabled ? t.enableTitle(client.name) : t.disableTitle(client.name)}
					submitLabel={isDisabled ? t.enable : t.disable}
					typeToConfirm={isDisabled ? undefined : client.name}
					tone={isDisabled ? "primary" : "danger"}
					act={() =>
						call("PATCH /api-clients/{id}", { path, body: { status: isDisabled ? "active" : "disabled" } })
					}
					done={isDisabled ? t.enabled(client.name) : t.disabled(client.name)}
					onClose={close}
					onDone={onChange}
				>
					{isDisabled ? t.enableText : t.disableText}
				</ConfirmAction>
			)}
		</>
	);
}

interface RenewSecretProps extends ClientChangeProps {
	readonly onClose: () => void;
}

/** Regenerates the Secret: the old one stays valid for a while, or stops working immediately. */
function RenewSecret({ client, onChange, onClose }: RenewSecretProps) {
	const t = useWords("console-partners").clients;
	const [renewed, setRenewed] = useState<ClientWithSecret>();
	const close = () => {
		onClose();
		onChange();
	};
	if (renewed !== undefined) return <SecretDialog client={renewed} title={t.renewed} onClose={close} />;
	const previousUntil = client.previous_secret_expires_at;
	const hasPrevious = previousUntil !== null && new Date(previousUntil).getTime() > Date.now();
	return (
		<RegenerateDialog
			onClose={onClose}
			title={t.renew}
			size="medium"
			submitLabel={t.renewNow}
			typeToConfirm={client.name}
			overlapLabel={t.overlap}
			overlaps={t.overlaps}
			atOnceHint={t.atOnceHint}
			regenerate={async (body) => {
				const path = { id: client.id };
				setRenewed((await call("POST /api-clients/{id}/regenerate-secret", { path, body })).data);
			}}
		>
			<p>{t.renewText}</p>
			{hasPrevious && <Notice tone="warning">{t.thirdSecret}</Notice>}
		</RegenerateDialog>
	);
}
