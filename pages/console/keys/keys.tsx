// `/console/keys`: the keys that clients use to administer the tenant.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { key as keyShape, trash } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { List } from "../../ui/list.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { keyColumns } from "./key-columns.tsx";
import { KeyDialog } from "./key-dialog.tsx";

type AdminKey = Schemas["AdminKey"];

export function Keys() {
	const t = useWords("console-settings").keys;
	useScreenTitle(t.title);
	const state = useListState();
	const list = usePage("GET /admin-keys", state);
	const [created, setCreated] = useState<Schemas["AdminKeyWithKey"]>();
	const [chosen, setChosen] = useState<AdminKey>();
	const onCreated = (key: Schemas["AdminKeyWithKey"]) => {
		setCreated(key);
		announce(t.created);
		list.reload();
	};
	return (
		<>
			<List
				title={t.title}
				description={t.description}
				add={{
					label: t.create,
					dialog: (close) => (
						<KeyDialog
							onClose={close}
							onCreated={(key) => {
								close();
								onCreated(key);
							}}
						/>
					),
				}}
				list={list}
				state={state}
				caption={t.caption}
				columns={keyColumns(t)}
				rowKey={({ id }) => id}
				rowName={({ name }) => name}
				rowActions={(key) => [
					{ label: t.revoke, icon: trash, tone: "danger", onSelect: () => setChosen(key) },
				]}
				expectedRows={3}
				none={{ icon: keyShape, title: t.none, text: t.noneText }}
			/>
			{created !== undefined && <CreatedKeyDialog created={created} onClose={() => setCreated(undefined)} />}
			{chosen !== undefined && (
				<ConfirmAction
					title={t.revokeTitle}
					submitLabel={t.revoke}
					typeToConfirm={chosen.name}
					act={() => call("DELETE /admin-keys/{id}", { path: { id: chosen.id } })}
					done={t.revoked}
					onClose={() => setChosen(undefined)}
					onDone={list.reload}
				>
					{t.revokeText}
				</ConfirmAction>
			)}
		</>
	);
}

/** The new key, shown once, with a first call to try it. */
interface CreatedKeyDialogProps {
	readonly created: Schemas["AdminKeyWithKey"];
	readonly onClose: () => void;
}

function CreatedKeyDialog({ created, onClose }: CreatedKeyDialogProps) {
	const t = useWords("console-settings").keys;
	if (created.workloads.length > 0) return <WorkloadKeyDialog created={created} onClose={onClose} />;
	// The key itself stays out of the shell's history.
	const code = `curl -sS ${location.origin}/api/v1/users \\\n  -H "Authorization: Bearer $LATCHKEY_ADMIN_KEY"`;
	return (
		<SecretOnceDialog
			title={t.keyTitle}
			onClose={onClose}
			doneLabel={t.done}
			warning={t.keyWarning}
			secrets={[{ label: t.key, value: created.key }]}
			file={{ name: "latchkey-admin-key.env", content: `LATCHKEY_ADMIN_KEY=${created.key}\n` }}
		>
			<CodeBlock label={t.use} snippets={[{ key: "curl", label: "curl", code }]} />
		</SecretOnceDialog>
	);
}

/** Of a key with workloads, which is no secret: what a job sends. */
function WorkloadKeyDialog({ created, onClose }: CreatedKeyDialogProps) {
	const t = useWords("console-settings").keys;
	const code = `LATCHKEY_ADMIN_KEY="${created.key}$TOKEN"`;
	return (
		<Dialog
			onClose={onClose}
			title={t.keyTitle}
			actions={
				<Button variant="primary" onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<div class="lk-stack">
				<p>{t.workloadKeyText}</p>
				<CodeBlock label={t.inJob} snippets={[{ key: "job", label: t.inJob, code }]} />
				<Link href="/docs/configuration-as-code#pipelines">{t.pipelineGuide}</Link>
			</div>
		</Dialog>
	);
}
