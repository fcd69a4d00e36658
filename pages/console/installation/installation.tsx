// `/console/installation`: the checks of the installation, and what to do.

import { useEffect } from "preact/hooks";
import { useCall } from "../../api/use-call.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { refresh } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Table } from "../../ui/table.tsx";
import type { Check } from "../../words/console-installation/check.ts";
import { fillIn } from "../../words/fill-in.ts";
import { format } from "../../words/format.ts";
import { language } from "../../words/language.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { failedChecks } from "../waiting.ts";
import { countFailed } from "./count-failed.ts";

type Words = WordsOf<"console-installation">;

const TONES = { ok: "plain", warn: "warning", fail: "danger" } as const;
const CHECKS_EXPECTED = 12;

export function Installation() {
	const t = useWords("console-installation");
	useScreenTitle(t.title);
	const { data, error, isLoading, reload } = useCall("GET /installation", {});
	const version = data?.data.version;
	return (
		<>
			<PageHeader
				title={t.title}
				description={t.description}
				meta={version === undefined ? undefined : <Badge>{`${t.version} ${version}`}</Badge>}
				actions={
					<Button icon={refresh} pending={isLoading} onClick={reload}>
						{t.again}
					</Button>
				}
			/>
			<div class="lk-stack">
				{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
				{data === undefined ? (
					isLoading && <p class="lk-muted">{t.checking}</p>
				) : (
					<Summary checks={data.data.checks} />
				)}
				{(error === undefined || data !== undefined) && (
					<Table
						caption={t.caption}
						columns={[
							{ key: "name", header: t.check, width: "9rem", cell: (check) => nameOf(check, t) },
							{
								key: "status",
								header: t.status,
								width: "8rem",
								cell: ({ status }) => (
									<Badge tone={TONES[status]} dot={status !== "ok"}>
										{t.statuses[status]}
									</Badge>
								),
							},
							{ key: "detail", header: t.detail, cell: (check) => <Detail check={check} /> },
						]}
						rows={data === undefined ? undefined : worstFirst(data.data.checks)}
						rowKey={({ name }) => name}
						isLoading={isLoading}
						expectedRows={CHECKS_EXPECTED}
					/>
				)}
			</div>
		</>
	);
}

/** The translated result; if action is needed, also the API's original text. */
function Detail({ check }: { readonly check: Check }) {
	const shown = useWords("console-installation").detailOf(check);
	const apiText = shown === check.detail || check.status === "ok" ? undefined : check.detail;
	return (
		<bdi>
			<ErrorText error={{ message: asSentence(shown), apiText }} />
		</bdi>
	);
}

/** With local times. Paths and versions keep their first letter. */
function asSentence(text: string): string {
	const local = text
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => format.dateTime(at))
		.replace(/^[a-z]+(?![^\s:,;])/, ([first = "", ...rest]) => first.toUpperCase() + rest.join(""));
	return language.value === "en" && !local.endsWith(".") ? `${local}.` : local;
}

function Summary({ checks }: { readonly checks: readonly Check[] }) {
	const t = useWords("console-installation");
	const failed = checks.filter(({ status }) => status === "fail").length;
	useEffect(() => {
		failedChecks.value = countFailed(checks);
	}, [checks]);
	const warned = checks.filter(({ status }) => status === "warn").length;
	if (failed > 0)
		return (
			<Notice tone="danger" title={t.broken(failed)}>
				{t.brokenText}
			</Notice>
		);
	if (warned > 0)
		return (
			<Notice tone="warning" title={t.needsAttention(warned)}>
				{t.attentionText}
			</Notice>
		);
	return <Notice tone="success" title={t.allGood} />;
}

/** Problems first; the rest in the order of the checks. */
function worstFirst(checks: readonly Check[]): readonly Check[] {
	const order = ["fail", "warn", "ok"];
	return checks.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
}

function nameOf({ name, code, params }: Check, { subjects }: Words): string {
	const [subject = ""] = code.split(".");
	const texts: Readonly<Record<string, string>> = subjects;
	return fillIn(texts[subject] ?? name, params);
}
