// Creates an admin key: with a secret, or for the workloads of a platform.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ADMIN_KEY_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { type Role, session } from "../../api/session.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { ENTRY_SEPARATOR, entriesOf } from "../client-settings/client-settings.ts";
import { ListField } from "../editing/list-field.tsx";
import { WorkloadFields } from "../openid/workload-fields.tsx";
import { NEW_ROW, rowProblems, type WorkloadRow, workloadOf } from "../openid/workload-rows.ts";

interface KeyDialogProps {
	readonly onClose: () => void;
	readonly onCreated: (key: Schemas["AdminKeyWithKey"]) => void;
}

const PROOFS = ["secret", "workloads"] as const;
const ROLES: readonly Role[] = ["auditor", "reviewer", "admin", "platform_admin"];

export function KeyDialog({ onClose, onCreated }: KeyDialogProps) {
	const t = useWords("console-settings").keys;
	const ofWorkloads = useWords("console-workloads");
	const { values, field } = useFields<{ name: string; ip_allowlist: string; proof: (typeof PROOFS)[number] }>(
		{
			name: "",
			ip_allowlist: "",
			proof: "secret",
		},
	);
	const [rows, setRows] = useState<readonly WorkloadRow[]>([NEW_ROW]);
	const [roles, setRoles] = useState<readonly Role[]>([]);
	const [end, setEnd] = useState<KeyEnd>({ life: "90", day: "" });
	const [errors, setErrors] = useState<Readonly<Record<string, string>>>();
	const hasWorkloads = values.proof === "workloads";
	const mayHave = (role: Role) =>
		role !== "platform_admin" || (session.value.roles.includes("platform_admin") && !hasWorkloads);
	const create = useAction(async () => {
		const ip_allowlist = entriesOf(values.ip_allowlist);
		const body = {
			name: values.name.trim(),
			roles: roles.filter(mayHave),
			ip_allowlist,
			expires_at: endOf(end),
		};
		const workloads = hasWorkloads ? { workloads: rows.map(workloadOf) } : {};
		onCreated((await call("POST /admin-keys", { body: { ...body, ...workloads } })).data);
	});
	const submit = () => {
		const found = {
			...(roles.filter(mayHave).length === 0 && { roles: t.chooseRoles }),
			...(hasWorkloads &&
				Object.assign({}, ...rows.map((row, index) => rowProblems(row, index, ofWorkloads)))),
			...(end.life === "own" && end.day === "" && { expires_at: t.chooseDay }),
		};
		const isGood = Object.keys(found).length === 0;
		setErrors(isGood ? undefined : found);
		return isGood ? create.run() : undefined;
	};
	return (
		<FormDialog
			onClose={onClose}
			title={t.create}
			submitLabel={t.create}
			action={create}
			onSubmit={submit}
			errors={errors}
		>
			<TextInput
				{...field("name")}
				label={t.name}
				hint={t.nameHint}
				limit={ADMIN_KEY_NAME_MAX}
				required
				autoFocus
			/>
			<RadioGroup
				{...field("proof")}
				label={t.proof}
				options={PROOFS.map((value) => ({ value, label: t.proofs[value], hint: t.proofHints[value] }))}
			/>
			{hasWorkloads && <WorkloadFields rows={rows} onRows={setRows} />}
			<CheckboxGroup
				name="roles"
				label={t.roles}
				hint={t.rolesHint}
				values={roles}
				onValues={setRoles}
				options={ROLES.filter(mayHave).map((role) => ({
					value: role,
					label: t.roleNames[role],
					hint: t.roleTexts[role],
				}))}
			/>
			<EndField value={end} onValue={setEnd} />
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

/** The expiry of a key: after a common period, or on a chosen day. */
interface KeyEnd {
	readonly life: "30" | "90" | "365" | "own";
	/** `2026-12-31`; valid until the end of that day. */
	readonly day: string;
}

interface EndFieldProps {
	readonly value: KeyEnd;
	readonly onValue: (value: KeyEnd) => void;
}

const DAY_MS = 24 * 3_600_000;
const DAYS_MAX = 365;

function EndField({ value, onValue }: EndFieldProps) {
	const t = useWords("console-settings").keys;
	const isOwn = value.life === "own";
	return (
		<>
			<Select
				name={isOwn ? "life" : "expires_at"}
				label={t.ends}
				hint={isOwn ? undefined : t.endsHint}
				value={value.life}
				onValue={(life) => onValue({ ...value, life })}
				options={(["30", "90", "365", "own"] as const).map((life) => ({
					value: life,
					label: t.lives[life],
				}))}
			/>
			{isOwn && (
				<TextInput
					name="expires_at"
					type="date"
					label={t.day}
					hint={t.endsHint}
					min={dayIn(0)}
					max={dayIn(DAYS_MAX)}
					value={value.day}
					onValue={(day) => onValue({ ...value, day })}
					required
				/>
			)}
		</>
	);
}

/** ISO 8601; the end of the day in the browser's time zone. */
function endOf({ life, day }: KeyEnd): string {
	if (life !== "own") return new Date(Date.now() + Number(life) * DAY_MS).toISOString();
	return new Date(`${day}T23:59:59`).toISOString();
}

function dayIn(days: number): string {
	return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}
