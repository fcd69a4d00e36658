// Explains why a signature failed: the service checks the request as it was sent.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import type { ApiClient } from "./client-record.ts";
import { Explanation } from "./explanation.tsx";

/** What is known about the request of a refused call. */
export interface ReportedCall {
	readonly method: string;
	readonly target: string;
	readonly ip: string;
	readonly receivedAt: string;
}

interface ExplainTabProps {
	readonly client: ApiClient;
	readonly reported: ReportedCall | undefined;
}

export function ExplainTab({ client, reported }: ExplainTabProps) {
	const t = useWords("console-partners").clients.explain;
	const { values, field } = useFields({
		method: reported?.method ?? "GET",
		target: reported?.target ?? "/api/v1/external/whoami",
		headers: headersOf(client),
		body: "",
		ip: reported?.ip ?? "",
		stringToSign: "",
	});
	const [explained, setExplained] = useState<Schemas["SignatureExplanation"]>();
	const { run, isPending, error } = useAction(async () => {
		setExplained(undefined);
		const { method, target, headers, body, ip, stringToSign } = values;
		const sent = {
			method: method.trim(),
			target: target.trim(),
			headers: pairsOf(headers),
			...(body === "" ? {} : { body_base64: base64Of(body) }),
			...(ip.trim() === "" ? {} : { ip: ip.trim() }),
			...(stringToSign === "" ? {} : { string_to_sign: stringToSign }),
			...(reported === undefined ? {} : { received_at: reported.receivedAt }),
		};
		const path = { id: client.id };
		setExplained((await call("POST /api-clients/{id}/explain-signature", { path, body: sent })).data);
	});
	return (
		<div class="lk-stack">
			<Card title={t.title} description={t.text}>
				<Form submitLabel={t.run} onSubmit={run} error={error} pending={isPending}>
					{reported !== undefined && <Notice>{t.receivedAt(format.dateTime(reported.receivedAt))}</Notice>}
					<TextInput {...field("method")} label={t.method} code required />
					<TextInput {...field("target")} label={t.target} hint={t.targetHint} code required />
					<TextArea {...field("headers")} label={t.headers} hint={t.headersHint} code required rows={6} />
					<TextArea {...field("body")} name="body_base64" label={t.body} code optional rows={2} />
					<TextArea
						{...field("stringToSign")}
						name="string_to_sign"
						label={t.stringToSign}
						hint={t.stringToSignHint}
						code
						optional
						rows={4}
					/>
					<TextInput {...field("ip")} label={t.ip} hint={t.ipHint} code optional />
				</Form>
			</Card>
			{explained !== undefined && <Explanation explained={explained} />}
		</div>
	);
}

/** Initial headers: known values, and the names of the others. */
function headersOf({ tenant_id, app_id, api_key }: ApiClient): string {
	return [
		`X-Tenant-ID: ${tenant_id}`,
		`X-App-ID: ${app_id}`,
		`X-API-Key: ${api_key}`,
		"X-Timestamp: ",
		"X-Nonce: ",
		"X-Signature: ",
	].join("\n");
}

/** A line without a colon is a name without a value; repeated names are kept. */
function pairsOf(lines: string): [string, string][] {
	return lines
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line) => {
			const colon = line.indexOf(":");
			return colon < 0 ? [line.trim(), ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
		});
}

function base64Of(text: string): string {
	return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
