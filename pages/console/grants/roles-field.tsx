// The roles of a grant, chosen from the application's roles.

import { call } from "../../api/client.ts";
import { everyRow } from "../../api/every-row.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";

interface RolesFieldProps {
	readonly appId: string;
	readonly values: readonly string[];
	readonly onValues: (values: readonly string[]) => void;
}

export function RolesField({ appId, values, onValues }: RolesFieldProps) {
	const t = useWords("console-access").grants;
	const { data, error, isLoading, reload } = useQuery(`GET /applications/${appId}/roles all`, (signal) =>
		loadRoles(appId, signal),
	);
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton lines={2} />;
	if (data.length === 0) return <p class="lk-muted">{t.noRoles}</p>;
	return (
		<CheckboxGroup
			name="roles"
			label={t.roles}
			hint={t.rolesHint}
			values={values}
			onValues={onValues}
			options={data.map(({ name, description, permissions }) => ({
				value: name,
				label: name,
				hint: description || permissions.slice(0, 5).join(", "),
			}))}
		/>
	);
}

/** At most 200. */
export async function loadRoles(id: string, signal?: AbortSignal): Promise<Schemas["ApplicationRole"][]> {
	const roles: Schemas["ApplicationRole"][] = [];
	const load = (query: { page: number; page_size: number }) =>
		call("GET /applications/{id}/roles", { path: { id }, query, ...(signal && { signal }) });
	for await (const role of everyRow(load)) roles.push(role);
	return roles.toSorted((one, other) => one.name.localeCompare(other.name));
}
