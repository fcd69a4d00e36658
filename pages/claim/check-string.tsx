// Signs the string that the partner's code signs, and names its first wrong line. Nothing leaves the page.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextArea } from "../ui/text-area.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import { findLineDifference, type LineDifference } from "./compare-string.ts";
import type { ClaimedClient } from "./first-call.tsx";
import { canSign, sha256, signText } from "./sign-request.ts";

interface Checked {
	readonly difference: LineDifference | undefined;
	/** Of the string as pasted; undefined if the page cannot sign. */
	readonly signature: string | undefined;
}

export function CheckString({ client }: { readonly client: ClaimedClient }) {
	const t = useWords("claim").check;
	const { values, field } = useFields({ string_to_sign: "", body: "" });
	const [checked, setChecked] = useState<Checked>();
	const check = useAction(async () => {
		const difference = findLineDifference(values.string_to_sign, client, await sha256(values.body));
		const signature = canSign(client) ? await signText(client, values.string_to_sign) : undefined;
		setChecked({ difference, signature });
	});
	return (
		<Card title={t.title} description={client.secret === undefined ? t.textOfKey : t.text}>
			<Form submitLabel={t.run} action={check}>
				<TextArea {...field("string_to_sign")} label={t.string} hint={t.stringHint} rows={9} code required />
				<TextArea {...field("body")} label={t.body} hint={t.bodyHint} code optional />
			</Form>
			{checked !== undefined && <Result {...checked} hasSecret={client.secret !== undefined} />}
		</Card>
	);
}

function Result({ difference, signature, hasSecret }: Checked & { readonly hasSecret: boolean }) {
	const t = useWords("claim").check;
	return (
		<>
			{difference === undefined ? (
				<Notice tone="success" title={t.same}>
					{hasSecret ? t.sameText : t.sameTextOfKey}
				</Notice>
			) : (
				<>
					<Notice tone="danger" title={t.differs(difference.line)}>
						{t.rules[difference.line - 1] ?? t.surplus}
					</Notice>
					<DescriptionList
						items={[
							...(difference.expected === null
								? []
								: [{ term: t.expected, value: <Line text={difference.expected} /> }]),
							{
								term: t.given,
								value: difference.given === null ? t.missing : <Line text={difference.given} />,
							},
						]}
					/>
				</>
			)}
			{signature !== undefined && (
				<CodeBlock
					label={t.signature}
					snippets={[{ key: "signature", label: t.signature, code: signature }]}
				/>
			)}
		</>
	);
}

/** Quoted, so that spaces and carriage returns are visible. */
function Line({ text }: { readonly text: string }) {
	return <code dir="ltr">{JSON.stringify(text)}</code>;
}
