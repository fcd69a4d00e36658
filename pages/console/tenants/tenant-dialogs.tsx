// Creates a tenant with its first administrator, and changes the settings of a tenant.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { TENANT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { keepTenant } from "../../api/tenant.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { ListField } from "../editing/list-field.tsx";

interface CreateTenantDialogProps {
	readonly onClose: () => void;
	readonly onCreated: () => void;
}

export function CreateTenantDialog({ onClose, onCreated }: CreateTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	const { values, field } = useFields({ name: "", slug: "", username: "admin", email: "", password: "" });
	const [created, setCreated] = useState<Schemas["NewTenant"]>();
	const create = useAction(async () => {
		const { name, slug, username, email, password } = values;
		const admin = { username: username.trim(), email: email.trim(), password };
		const body = { name: name.trim(), slug: slug.trim(), admin };
		const { data } = await call("POST /tenants", { body });
		setCreated(data);
		onCreated();
	});
	if (created !== undefined) return <CreatedTenantDialog tenant={created} onClose={onClose} />;
	return (
		<FormDialog onClose={onClose} title={t.create} submitLabel={t.create} action={create}>
			<TextInput {...field("name")} label={t.name} limit={TENANT_NAME_MAX} required autoFocus />
			<TextInput {...field("slug")} label={t.slug} hint={t.slugHint} code required />
			<div>
				<h3>{t.admin}</h3>
				<p class="lk-muted">{t.adminText}</p>
			</div>
			<TextInput {...field("username")} name="admin.username" label={t.username} code required />
			<TextInput {...field("email")} name="admin.email" type="email" label={t.email} required />
			<PasswordInput
				{...field("password")}
				name="admin.password"
				label={t.password}
				autoComplete="new-password"
				required
			/>
		</FormDialog>
	);
}

/** What the first administrator of a new tenant needs to begin. */
interface CreatedTenantDialogProps {
	readonly tenant: Schemas["NewTenant"];
	readonly onClose: () => void;
}

function CreatedTenantDialog({ tenant, onClose }: CreatedTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	return (
		<Dialog
			onClose={onClose}
			title={t.createdTitle}
			actions={
				<Button variant="primary" onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<div class="lk-stack">
				<p>{t.createdText(tenant.admin.username)}</p>
				<CopyField label={t.signInAddress} value={signInAddress(tenant)} />
				<CopyField label={t.tenantId} value={tenant.id} />
			</div>
		</Dialog>
	);
}

interface ChangeTenantDialogProps {
	readonly tenant: Schemas["Tenant"];
	readonly onClose: () => void;
	readonly onSaved: () => void;
}

export function ChangeTenantDialog({ tenant, onClose, onSaved }: ChangeTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	const { values, field } = useFields({
		name: tenant.name,
		slug: tenant.slug,
		require_mfa: tenant.require_mfa,
		mailed_code: tenant.mailed_code,
		test_clients: tenant.test_clients,
		partner_keys_need_review: tenant.partner_keys_need_review,
		second_factor_help: tenant.second_factor_help,
		program_requests: tenant.program_requests,
		dormant_after_days: String(tenant.dormant_after_days ?? ""),
		client_dormant_after_days: String(tenant.client_dormant_after_days ?? ""),
		sender_addresses: tenant.sender_addresses.join("\n"),
	});
	const isFirst = tenant.slug === "default";
	const save = useAction(async () => {
		const { slug, ...settings } = values;
		const body = {
			...settings,
			name: values.name.trim(),
			dormant_after_days: daysOf(values.dormant_after_days),
			client_dormant_after_days: daysOf(values.client_dormant_after_days),
			sender_addresses: linesOf(values.sender_addresses),
			...(!isFirst && { slug: slug.trim() }),
		};
		const { data } = await call("PATCH /tenants/{id}", { path: { id: tenant.id }, body });
		if (data.id === session.value.user?.tenant_id) keepTenant(data);
		announce(t.saved);
		onClose();
		onSaved();
	});
	return (
		<FormDialog onClose={onClose} title={tenant.name} submitLabel={t.save} action={save}>
			<TextInput {...field("name")} label={t.name} limit={TENANT_NAME_MAX} required />
			<TextInput
				{...field("slug")}
				label={t.slug}
				hint={isFirst ? t.slugFixed : t.slugHint}
				code
				readOnly={isFirst}
				required
			/>
			<Checkbox {...field("require_mfa")} label={t.requireMfa} hint={t.requireMfaHint} />
			<Checkbox {...field("mailed_code")} label={t.mailedCode} hint={t.mailedCodeHint} />
			<Checkbox {...field("second_factor_help")} label={t.factorHelp} hint={t.factorHelpHint} />
			<Checkbox {...field("test_clients")} label={t.testClients} hint={t.testClientsHint} />
			<Checkbox {...field("partner_keys_need_review")} label={t.reviewKeys} hint={t.reviewKeysHint} />
			<Checkbox {...field("program_requests")} label={t.programRequests} hint={t.programRequestsHint} />
			<TextInput {...field("dormant_after_days")} {...DAYS} label={t.dormant} hint={t.dormantHint} />
			<TextInput
				{...field("client_dormant_after_days")}
				{...DAYS}
				label={t.clientDormant}
				hint={t.clientDormantHint}
			/>
			<ListField
				{...field("sender_addresses")}
				label={t.senderAddresses}
				hint={t.senderAddressesHint}
				addLabel={t.addSenderAddress}
			/>
			<CopyField label={t.signInAddress} value={signInAddress(tenant)} />
			<CopyField label={t.tenantId} value={tenant.id} />
		</FormDialog>
	);
}

const DAYS = { type: "number", min: 30, max: 730 } as const;

function daysOf(text: string): number | null {
	return text === "" ? null : Number(text);
}

/** Where the people of a tenant sign in. */
function signInAddress({ slug }: { readonly slug: string }): string {
	return slug === "default" ? `${location.origin}/sign-in` : `${location.origin}/sign-in?tenant=${slug}`;
}
