// What an administrator does with a client: a new Secret, disable, enable, delete.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { refresh, trash } from "../../ui/icons.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { CLIENTS_PATH, type ClientChangeProps } from "./client-record.ts";
import { RenewSecret } from "./renew-secret.tsx";

type Question = "renew" | "status" | "delete";

export function ClientActions({ client, onChange }: ClientChangeProps) {
	const t = useWords("console-partners").clients;
	const [, navigate] = useLocation();
	const [question, setQuestion] = useState<Question>();
	const close = () => setQuestion(undefined);
	const path = { id: client.id };
	const setStatus = useAction(async (status: "active" | "disabled") => {
		await call("PATCH /api-clients/{id}", { path, body: { status } });
		announce(status === "active" ? t.enabled(client.name) : t.disabled(client.name));
		close();
		onChange();
	});
	const remove = useAction(async () => {
		await call("DELETE /api-clients/{id}", { path });
		forgetQueries("GET /api-clients");
		announce(t.deleted(client.name));
		navigate(CLIENTS_PATH);
	});
	const isDisabled = client.status === "disabled";
	const items: MenuItem[] = [
		{ label: isDisabled ? t.enable : t.disable, onSelect: () => setQuestion("status") },
		{
			label: t.delete,
			icon: trash,
			tone: "danger",
			startsGroup: true,
			onSelect: () => setQuestion("delete"),
		},
	];
	return (
		<>
			{client.status !== "unclaimed" && client.secret_hint !== "" && (
				<Button icon={refresh} onClick={() => setQuestion("renew")}>
					{t.renew}
				</Button>
			)}
			<Menu items={items} label={t.actionsOf(client.name)} />
			{question === "renew" && <RenewSecret client={client} onClose={close} onChange={onChange} />}
			<ConfirmDialog
				open={question === "status"}
				onClose={() => {
					setStatus.reset();
					close();
				}}
				title={isDisabled ? t.enableTitle(client.name) : t.disableTitle(client.name)}
				confirmLabel={isDisabled ? t.enable : t.disable}
				typeToConfirm={isDisabled ? undefined : client.name}
				tone={isDisabled ? "primary" : "danger"}
				pending={setStatus.isPending}
				error={setStatus.error}
				onConfirm={() => setStatus.run(isDisabled ? "active" : "disabled")}
			>
				{isDisabled ? t.enableText : t.disableText}
			</ConfirmDialog>
			<ConfirmDialog
				open={question === "delete"}
				onClose={() => {
					remove.reset();
					close();
				}}
				title={t.deleteTitle(client.name)}
				confirmLabel={t.delete}
				typeToConfirm={client.name}
				pending={remove.isPending}
				error={remove.error}
				onConfirm={remove.run}
			>
				{t.deleteText}
			</ConfirmDialog>
		</>
	);
}
