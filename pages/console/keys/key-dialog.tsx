// Creates an admin key: with a secret, or for the workloads of a platform. Then shows what to do with it.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ADMIN_KEY_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { type Role, session } from "../../api/session.ts";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Link } from "../../ui/link.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { ENTRY_SEPARATOR, endOf, entriesOf } from "../client-settings/client-settings.ts";
import { ListField } from "../editing/list-field.tsx";
import { useChecked } from "../editing/use-checked.ts";
import { WorkloadFields } from "../openid/workload-fields.tsx";
import { NEW_ROW, problemsIn, type WorkloadRow, workloadOf } from "../openid/workload-rows.ts";

interface KeyDialogProps {
	readonly onClose: () => void;
	readonly onCreated: () => void;
}

const PROOFS = ["secret", "workloads"] as const;
/** Days, or until a chosen day. */
const LIVES = ["30", "90", "365", "own"] as const;
const DAY_MS = 24 * 3_600_000;
const DAYS_MAX = 365;
const ROLES: readonly Role[] = ["auditor", "reviewer", "admin", "platform_admin"];

export function KeyDialog({ onClose, onCreated }: KeyDialogProps) {
	const t = useWords("console-settings").keys;
	const ofWorkloads = useWords("console-workloads");
	const { values, field } = useFields({
		name: "",
		ip_allowlist: "",
		proof: "secret" as (typeof PROOFS)[number],
		life: "90" as (typeof LIVES)[number],
		/** `2026-12-31`; valid until the end of that day. */
		expires_at: "",
	});
	const [rows, setRows] = useState<readonly WorkloadRow[]>([NEW_ROW]);
	const [roles, setRoles] = useState<readonly Role[]>([]);
	const [created, setCreated] = useState<Schemas["AdminKeyWithKey"]>();
	const isOwnEnd = values.life === "own";
	const hasWorkloads = values.proof === "workloads";
	const mayHave = (role: Role) =>
		role !== "platform_admin" || (session.value.roles.includes("platform_admin") && !hasWorkloads);
	const create = useAction(async () => {
		const body = {
			name: values.name.trim(),
			roles: roles.filter(mayHave),
			ip_allowlist: entriesOf(values.ip_allowlist),
			expires_at: isOwnEnd ? (endOf(values.expires_at) ?? "") : endAfter(Number(values.life)),
			...(hasWorkloads && { workloads: rows.map(workloadOf) }),
		};
		const { data } = await call("POST /admin-keys", { body });
		setCreated(data);
		announce(t.created);
		onCreated();
	});
	const checked = useChecked(create, () => ({
		...(roles.filter(mayHave).length === 0 && { roles: t.chooseRoles }),
		...(hasWorkloads && problemsIn(rows, ofWorkloads)),
		...(isOwnEnd && values.expires_at === "" && { expires_at: t.chooseDay }),
	}));
	if (created !== undefined) return <CreatedKeyDialog created={created} onClose={onClose} />;
	return (
		<FormDialog {...checked} onClose={onClose} title={t.create} submitLabel={t.create}>
			<TextInput
				{...field("name")}
				label={t.name}
				hint={t.nameHint}
				limit={ADMIN_KEY_NAME_MAX}
				required
				autoFocus
			/>
			<RadioGroup {...field("proof")} label={t.proof} options={optionsOf(PROOFS, t.proofs, t.proofHints)} />
			{hasWorkloads && <WorkloadFields rows={rows} onRows={setRows} />}
			<CheckboxGroup
				name="roles"
				label={t.roles}
				hint={t.rolesHint}
				values={roles}
				onValues={setRoles}
				options={optionsOf(ROLES.filter(mayHave), t.roleNames, t.roleTexts)}
			/>
			<Select
				{...field("life")}
				name={isOwnEnd ? "life" : "expires_at"}
				label={t.ends}
				hint={isOwnEnd ? undefined : t.endsHint}
				options={optionsOf(LIVES, t.lives)}
			/>
			{isOwnEnd && (
				<TextInput
					{...field("expires_at")}
					type="date"
					label={t.day}
					hint={t.endsHint}
					min={dayIn(0)}
					max={dayIn(DAYS_MAX)}
					required
				/>
			)}
			<ListField
				{...field("ip_allowlist")}
				label={t.allowlist}
				hint={t.allowlistHint}
				addLabel={t.addAddress}
				placeholder="203.0.113.0/24"
				separator={ENTRY_SEPARATOR}
				optional
			/>
		</FormDialog>
	);
}

/** ISO 8601. */
function endAfter(days: number): string {
	return new Date(Date.now() + days * DAY_MS).toISOString();
}

function dayIn(days: number): string {
	return endAfter(days).slice(0, 10);
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
