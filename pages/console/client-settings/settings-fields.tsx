// The fields that approvals and clients share: scopes, allowlist, expiry.

import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { useWords } from "../../words/words.ts";
import { AllowlistField } from "./allowlist-field.tsx";
import { type ClientSettings, SCOPES } from "./client-settings.ts";
import { ExpiryField } from "./expiry-field.tsx";

interface SettingsFieldsProps {
	readonly settings: ClientSettings;
	readonly onChange: (changes: Partial<ClientSettings>) => void;
}

export function SettingsFields({ settings, onChange }: SettingsFieldsProps) {
	const t = useWords("console-partners").settings;
	return (
		<>
			<ScopesField scopes={settings.scopes} onScopes={(scopes) => onChange({ scopes })} />
			<AllowlistField
				label={t.allowlist}
				value={settings.allowlist}
				onValue={(allowlist) => onChange({ allowlist })}
			/>
			<ExpiryField value={settings.lastDay} onValue={(lastDay) => onChange({ lastDay })} />
		</>
	);
}

interface ScopesFieldProps {
	readonly scopes: ClientSettings["scopes"];
	readonly onScopes: (scopes: ClientSettings["scopes"]) => void;
}

export function ScopesField({ scopes, onScopes }: ScopesFieldProps) {
	const t = useWords("console-partners").settings;
	return (
		<CheckboxGroup
			name="scopes"
			label={t.scopes}
			hint={scopes.length === 0 ? t.noScopes : undefined}
			values={scopes}
			onValues={onScopes}
			options={SCOPES.map((scope) => ({
				value: scope,
				label: t.scopeNames[scope],
				hint: `${scope}: ${t.scopeHints[scope]}`,
			}))}
		/>
	);
}
