// Which workloads authenticate as a client: the platform of each, what it names, and the subject and claims that follow.

import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { type Description, DescriptionList } from "../../ui/description-list.tsx";
import { plus } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { admittedBy, NEW_ROW, PLATFORMS, type WorkloadRow, workloadOf } from "./workload-rows.ts";

/** As many as the API takes. */
const WORKLOADS_MAX = 20;

interface WorkloadFieldsProps {
	readonly rows: readonly WorkloadRow[];
	readonly onRows: (rows: readonly WorkloadRow[]) => void;
}

/** The issuers that are trusted for workloads. A tenant has at most 50 issuers, so one page has them all. */
export function useWorkloadIssuers() {
	const query = useCall("GET /identity-providers", { query: { page_size: 100 } });
	return { ...query, issuers: query.data?.data.filter(({ uses }) => uses.includes("workloads")) };
}

export function WorkloadFields({ rows, onRows }: WorkloadFieldsProps) {
	const t = useWords("console-workloads");
	const { issuers, error, reload, isLoading } = useWorkloadIssuers();
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (issuers === undefined) return <Skeleton lines={4} />;
	if (issuers.length === 0)
		return (
			<Notice title={t.noIssuer} action={<Link href="/console/providers">{t.toIssuers}</Link>}>
				{t.noIssuerText}
			</Notice>
		);
	const replace = (at: number, ...next: readonly WorkloadRow[]) => onRows(rows.toSpliced(at, 1, ...next));
	return (
		<>
			{rows.map((row, index) => (
				<WorkloadRowFields
					key={index.toString()}
					index={index}
					row={row}
					issuers={issuers}
					onRow={(next) => replace(index, next)}
					onRemove={rows.length === 1 ? undefined : () => replace(index)}
				/>
			))}
			{rows.length < WORKLOADS_MAX && (
				<div>
					<Button size="small" icon={plus} onClick={() => onRows([...rows, NEW_ROW])}>
						{t.add}
					</Button>
				</div>
			)}
		</>
	);
}

interface RowProps {
	readonly index: number;
	readonly row: WorkloadRow;
	readonly issuers: readonly Schemas["IdentityProvider"][];
	readonly onRow: (row: WorkloadRow) => void;
	readonly onRemove: (() => void) | undefined;
}

function WorkloadRowFields(props: RowProps) {
	const { index, row, issuers, onRow, onRemove } = props;
	const t = useWords("console-workloads");
	const field = fieldsOf(props);
	const admitted = admittedBy(row);
	return (
		<fieldset class="lk-choices">
			<legend class="lk-choices__legend">{t.workload(index + 1)}</legend>
			<div class="lk-form lk-stack">
				<Select
					{...field("issuer_id")}
					label={t.issuer}
					options={[
						{ value: "", label: t.choose },
						...issuers.map(({ id, display_name }) => ({ value: id, label: display_name })),
					]}
					onValue={(issuer_id) => onRow({ ...row, issuer_id, ...platformOf(issuers, issuer_id) })}
				/>
				<Select {...field("platform")} label={t.platform} options={optionsOf(PLATFORMS, t.platforms)} />
				<Named {...props} />
				{isNamed(row) && <DescriptionList items={identityOf(row, t)} />}
				{isNamed(row) && admitted.length > 0 && (
					<Notice tone="warning" title={t.admitsTitle}>
						<ul>
							{admitted.map((key) => (
								<li key={key}>{t.admits[key]}</li>
							))}
						</ul>
					</Notice>
				)}
				{onRemove !== undefined && (
					<div>
						<Button size="small" onClick={onRemove}>
							{t.remove(index + 1)}
						</Button>
					</div>
				)}
			</div>
		</fieldset>
	);
}

/** Subject and claims of the tokens that are accepted. */
export function identityOf(row: WorkloadRow, t: WordsOf<"console-workloads">): readonly Description[] {
	const { subject, claims } = workloadOf(row);
	const pairs = Object.entries(claims).map(([name, value]) => `${name}=${value}`);
	return [
		{ term: t.subject, value: <code dir="ltr">{subject}</code> },
		...(pairs.length === 0 ? [] : [{ term: t.claims, value: <code dir="ltr">{pairs.join(", ")}</code> }]),
	];
}

/** The fields of the platform. The one that decides the subject has its name in the API. */
function Named(props: RowProps) {
	const t = useWords("console-workloads");
	const field = fieldsOf(props);
	const { index, row } = props;
	const main = (name: "project" | "namespace" | "subject") => ({
		...field(name),
		name: `workloads.${index}.subject`,
	});
	if (row.platform === "kubernetes")
		return (
			<>
				<TextInput {...main("namespace")} label={t.namespace} code required />
				<TextInput
					{...field("service_account")}
					label={t.serviceAccount}
					hint={t.serviceAccountHint}
					code
					required
				/>
			</>
		);
	if (row.platform === "other")
		return (
			<>
				<TextInput {...main("subject")} label={t.subject} hint={t.subjectHint} code required />
				<TextArea {...field("claims")} label={t.claims} hint={t.claimsHint} code rows={3} />
			</>
		);
	const isGitHub = row.platform === "github";
	return (
		<>
			<TextInput
				{...main("project")}
				label={isGitHub ? t.repository : t.project}
				hint={isGitHub ? t.repositoryHint : t.projectHint}
				code
				required
			/>
			<TextInput
				{...field("environment")}
				label={t.environment}
				hint={isGitHub ? t.environmentHint : t.gitlabEnvironmentHint}
				code
				optional
			/>
			<TextInput {...field("branch")} label={t.branch} hint={t.branchHint} code optional />
			{isGitHub ? (
				<TextInput {...field("prefix")} label={t.prefix} hint={t.prefixHint} code optional />
			) : (
				<Checkbox {...field("is_protected")} label={t.isProtected} hint={t.isProtectedHint} />
			)}
		</>
	);
}

function fieldsOf({ index, row, onRow }: RowProps) {
	return <Name extends keyof WorkloadRow>(name: Name) => ({
		name: `workloads.${index}.${name}`,
		value: row[name],
		onValue: (value: WorkloadRow[Name]) => onRow({ ...row, [name]: value }),
	});
}

/** Whether the field that decides the subject is filled in. */
function isNamed({ platform, project, namespace, subject }: WorkloadRow): boolean {
	if (platform === "kubernetes") return namespace !== "";
	return platform === "other" ? subject !== "" : project !== "";
}

/** The platform of a well-known issuer. */
function platformOf(issuers: RowProps["issuers"], id: string): Partial<Pick<WorkloadRow, "platform">> {
	const issuer = issuers.find((one) => one.id === id)?.issuer ?? "";
	const { hostname = "", pathname = "" } = URL.canParse(issuer) ? new URL(issuer) : {};
	if (hostname.endsWith(".githubusercontent.com") || pathname === "/_services/token")
		return { platform: "github" };
	if (hostname.startsWith("gitlab.")) return { platform: "gitlab" };
	return /kubernetes|cluster|\.eks\.|^container\.googleapis\.com$/.test(hostname)
		? { platform: "kubernetes" }
		: {};
}
