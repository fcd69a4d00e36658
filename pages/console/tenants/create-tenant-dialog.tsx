// Creates a tenant with its first administrator.

import { call } from "../../api/client.ts";
import { TENANT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";

interface CreateTenantDialogProps {
	readonly onClose: () => void;
	readonly onCreated: (tenant: Schemas["NewTenant"]) => void;
}

export function CreateTenantDialog({ onClose, onCreated }: CreateTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	const { values, field } = useFields({ name: "", slug: "", username: "admin", email: "", password: "" });
	const create = useAction(async () => {
		const { name, slug, username, email, password } = values;
		const admin = { username: username.trim(), email: email.trim(), password };
		const body = { name: name.trim(), slug: slug.trim(), admin };
		onCreated((await call("POST /tenants", { body })).data);
	});
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
