// What an administrator does with a client: a new Secret, disable, enable, delete.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { useDelete } from "../../dialogs/use-delete.tsx";
import { Button } from "../../ui/button.tsx";
import { refresh, trash } from "../../ui/icons.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { useWords } from "../../words/words.ts";
import { CLIENTS_PATH, type ClientChangeProps } from "./client-record.ts";
import { RenewSecret } from "./renew-secret.tsx";

export function ClientActions({ client, onChange }: ClientChangeProps) {
	const t = useWords("console-partners").clients;
	const [asked, setAsked] = useState<"renew" | "status">();
	const close = () => setAsked(undefined);
	const path = { id: client.id };
	const isDisabled = client.status === "disabled";
	const deletion = useDelete({
		name: client.name,
		title: t.deleteTitle(client.name),
		text: t.deleteText,
		confirmLabel: t.delete,
		done: t.deleted(client.name),
		list: CLIENTS_PATH,
		act: () => call("DELETE /api-clients/{id}", { path }),
	});
	const items: MenuItem[] = [
		{ label: isDisabled ? t.enable : t.disable, onSelect: () => setAsked("status") },
		{ label: t.delete, icon: trash, tone: "danger", startsGroup: true, onSelect: deletion.ask },
	];
	return (
		<>
			{client.status !== "unclaimed" && client.secret_hint !== "" && (
				<Button icon={refresh} onClick={() => setAsked("renew")}>
					{t.renew}
				</Button>
			)}
			<Menu items={items} label={t.actionsOf(client.name)} />
			{asked === "renew" && <RenewSecret client={client} onClose={close} onChange={onChange} />}
			{asked === "status" && (
				<ConfirmAction
					title={isDisabled ? t.enableTitle(client.name) : t.disableTitle(client.name)}
					confirmLabel={isDisabled ? t.enable : t.disable}
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
			{deletion.dialog}
		</>
	);
}
