// The result of each check of a signed request, and where its string to sign differs.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useWords } from "../../words/words.ts";
import "./client.css";

type Explained = Schemas["SignatureExplanation"];

const TONES = { passed: "success", failed: "danger", skipped: "neutral" } as const;

export function Explanation({ explained }: { readonly explained: Explained }) {
	const t = useWords("console-partners").clients.explain;
	const { accepted, failed_check: failed, checks, difference } = explained;
	const decisive = checks.find(({ check }) => check === failed);
	return (
		<Card title={t.result}>
			<Notice tone={accepted ? "success" : "danger"} title={accepted ? t.accepted : t.refused}>
				{accepted ? t.acceptedText : decisive?.message}
			</Notice>
			{explained.client_string_signed === true && <Notice tone="warning">{t.stringIsSigned}</Notice>}
			{difference !== null && (
				<div class="lk-stack">
					<h3>{t.difference(difference.line, difference.name)}</h3>
					<DescriptionList
						items={[
							{ term: t.serviceSigns, value: <code>{difference.service ?? "–"}</code> },
							{ term: t.clientSigned, value: <code>{difference.client ?? "–"}</code> },
							{ term: t.hint, value: difference.hint },
						]}
					/>
				</div>
			)}
			<ul class="lk-client__checks">
				{checks.map(({ check, result, message, details }) => (
					<li key={check}>
						<span>
							<Badge tone={TONES[result]}>{t.results[result]}</Badge>
						</span>
						<span>
							<strong>{t.checks[check]}</strong>
							<br />
							{message}
							{details.length > 0 && (
								<ul>
									{details.map((detail) => (
										<li key={detail}>{detail}</li>
									))}
								</ul>
							)}
						</span>
					</li>
				))}
			</ul>
			<CodeBlock
				label={t.serviceSigns}
				snippets={[{ key: "string", label: t.serviceSigns, code: explained.string_to_sign }]}
			/>
		</Card>
	);
}
