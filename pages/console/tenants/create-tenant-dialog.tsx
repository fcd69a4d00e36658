// Creates a tenant with its first administrator.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { TENANT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";

interface CreateTenantDialogProps {
	readonly onClose: () => void;
	readonly onCreated: (tenant: Schemas["NewTenant"]) => void;
}

export function CreateTenantDialog({ onClose, onCreated }: CreateTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	const [fields, setFields] = useState({ name: "", slug: "", username: "admin", email: "", password: "" });
	const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value });
	const create = useAction(async () => {
		const { name, slug, username, email, password } = fields;
		const admin = { username: username.trim(), email: email.trim(), password };
		const body = { name: name.trim(), slug: slug.trim(), admin };
		onCreated((await call("POST /tenants", { body })).data);
	});
	return (
		<FormDialog onClose={onClose} title={t.create} submitLabel={t.create} action={create}>
			<TextInput
				name="name"
				label={t.name}
				limit={TENANT_NAME_MAX}
				value={fields.name}
				onValue={set("name")}
				required
				autoFocus
			/>
			<TextInput
				name="slug"
				label={t.slug}
				hint={t.slugHint}
				code
				value={fields.slug}
				onValue={set("slug")}
				required
			/>
			<div>
				<h3>{t.admin}</h3>
				<p class="lk-muted">{t.adminText}</p>
			</div>
			<TextInput
				name="admin.username"
				label={t.username}
				code
				value={fields.username}
				onValue={set("username")}
				required
			/>
			<TextInput
				name="admin.email"
				type="email"
				label={t.email}
				value={fields.email}
				onValue={set("email")}
				required
			/>
			<PasswordInput
				name="admin.password"
				label={t.password}
				autoComplete="new-password"
				value={fields.password}
				onValue={set("password")}
				required
			/>
		</FormDialog>
	);
}
