// Deletes an application with its roles, grants and API clients, once its name is typed.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";

export function DeleteApplication({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const { id, name } = application;
	const [, navigate] = useLocation();
	const [isAsking, setAsking] = useState(false);
	const remove = useAction(async () => {
		await call("DELETE /applications/{id}", { path: { id } });
		return true;
	});
	const confirm = async () => {
		if ((await remove.run()) === undefined) return;
		forgetQueries("GET /");
		announce(t.deleted(name));
		navigate("/console/applications");
	};
	return (
		<Card title={t.deleteTitle} description={t.deleteText} tone="danger">
			<div class="lk-row">
				<Button variant="danger" onClick={() => setAsking(true)}>
					{t.deleteAsk}
				</Button>
			</div>
			<ConfirmDialog
				open={isAsking}
				onClose={() => {
					setAsking(false);
					remove.reset();
				}}
				title={t.deleteQuestion(name)}
				confirmLabel={t.deleteIt}
				typeToConfirm={name}
				onConfirm={confirm}
				pending={remove.isPending}
				error={remove.error}
			>
				{t.deleteConsequences}
			</ConfirmDialog>
		</Card>
	);
}
