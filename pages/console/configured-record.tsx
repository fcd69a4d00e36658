// What a configuration file may have: the mark of a managed record, a question before each change of it, and the record as YAML.

import { useEffect, useState } from "preact/hooks";
import { beforeCalls, call } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { useCall } from "../api/use-call.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { copy } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { announce } from "../ui/status-line.tsx";
import { useWords } from "../words/words.ts";
import { CHANGES } from "./configured-routes.ts";
import { isAdmin } from "./roles.ts";
import { yamlDifference } from "./yaml-difference.ts";

type Part = NonNullable<Schemas["ExportConfigurationBody"]>;

export interface ConfiguredProps {
	readonly section: NonNullable<Part["section"]>;
	/** The key of the record in the section; undefined for a section that is one record. */
	readonly name?: string;
	readonly managedBy: Schemas["Group"]["managed_by"] | undefined;
	/** Whether only changes are asked about: the mark is elsewhere. */
	readonly isMarked?: boolean;
	/** Whether the record is of another tenant, whose configuration you cannot read: the question then shows no difference. */
	readonly isForeign?: boolean;
}

/** Beside the title of a record. */
export function Configured({
	section,
	name,
	managedBy,
	isMarked = false,
	isForeign = false,
}: ConfiguredProps) {
	const t = useWords("console-access").configured;
	const part = { section, ...(name !== undefined && { name }) };
	const copyYaml = useAction(async () => {
		await navigator.clipboard.writeText(await yamlOf(part));
		announce(t.copied);
	});
	if (isMarked) return managedBy ? <Question part={part} isForeign={isForeign} /> : null;
	if (!isAdmin()) return managedBy ? <Badge tone="info">{t.managed}</Badge> : null;
	return (
		<>
			{managedBy && (
				<>
					<Badge tone="info">{t.managed}</Badge>
					<Link href="/console/audit?action=config.applied">{t.lastApply}</Link>
					<Question part={part} />
				</>
			)}
			<Button
				size="small"
				variant="quiet"
				icon={copy}
				pending={copyYaml.isPending}
				onClick={() => copyYaml.run()}
			>
				{t.copy}
			</Button>
			{copyYaml.error !== undefined && <ErrorText error={copyYaml.error} />}
		</>
	);
}

/** The branding, whose own response is public. */
export function ConfiguredBranding() {
	const { data } = useCall("POST /config/export", { body: { section: "branding" } });
	return data && <Configured section="branding" managedBy={data.data.branding_managed_by} />;
}

async function yamlOf(body: Part): Promise<string> {
	const { data } = await call("POST /config/export", { body });
	// Without the line for editors, which the file has.
	return data.document.slice(data.document.indexOf("\n") + 1);
}

interface Asked {
	/** The record as it is, and as the file must have it afterwards. */
	readonly yaml: Promise<readonly [before: string, after: string]>;
	proceed(): void;
	cancel(): void;
}

/** Asks before the first change, and no more while the record is open. */
function Question({
	part,
	isForeign = false,
}: Pick<ConfiguredProps, "isForeign"> & { readonly part: Pick<ConfiguredProps, "section" | "name"> }) {
	const t = useWords("console-access").configured;
	const [asked, setAsked] = useState<Asked>();
	const { section, name } = part;
	useEffect(() => {
		let isConfirmed = false;
		const ask = (yaml: Asked["yaml"]): Promise<void> =>
			new Promise((resolve, reject) => {
				const end = (settle: () => void) => () => {
					setAsked(undefined);
					settle();
				};
				const proceed = end(() => {
					isConfirmed = true;
					resolve();
				});
				const cancel = end(() => reject(new ApiError(0, "change.canceled", t.canceled)));
				setAsked({ yaml, proceed, cancel });
			});
		beforeCalls.ask = (route, { path, body }) => {
			if (isConfirmed || !CHANGES.test(route)) return undefined;
			const operation = route as NonNullable<Part["change"]>["operation"];
			const change = {
				operation,
				...(path && { path }),
				...(body !== undefined && { body }),
			} as NonNullable<Part["change"]>;
			if (isForeign) return ask(Promise.resolve(["", ""]));
			return ask(
				Promise.all([yamlOf({ section, ...(name !== undefined && { name }) }), yamlOf({ section, change })]),
			);
		};
		return () => {
			beforeCalls.ask = undefined;
		};
	}, [t, section, name, isForeign]);
	const action = useAction(async () => asked?.proceed());
	if (asked === undefined) return null;
	return (
		<FormDialog title={t.title} text={t.text} submitLabel={t.proceed} action={action} onClose={asked.cancel}>
			<Difference yaml={asked.yaml} />
		</FormDialog>
	);
}

/** Nothing if the change would be refused: its form then shows why. */
function Difference({ yaml }: Pick<Asked, "yaml">) {
	const t = useWords("console-access").configured;
	const [found, setFound] = useState<Awaited<Asked["yaml"]>>();
	const [isRefused, setRefused] = useState(false);
	useEffect(() => {
		yaml.then(setFound, () => setRefused(true));
	}, [yaml]);
	if (found === undefined) return isRefused ? null : <Skeleton lines={3} />;
	const [before, after] = found;
	const code = yamlDifference(before, after);
	if (code === "") return null;
	return (
		<>
			<CodeBlock label={t.difference} snippets={[{ key: "yaml", label: t.difference, code }]} />
			{after !== "" && (
				<div>
					<CopyButton text={after} label={t.copy} />
				</div>
			)}
		</>
	);
}
