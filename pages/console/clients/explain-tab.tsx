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
	const [input, setInput] = useState({
		method: reported?.method ?? "GET",
		target: reported?.target ?? "/api/v1/external/whoami",
		headers: headersOf(client),
		body: "",
		ip: reported?.ip ?? "",
		stringToSign: "",
	});
	const [explained, setExplained] = useState<Schemas["SignatureExplanation"]>();
	const set = (name: keyof typeof input) => (value: string) => setInput({ ...input, [name]: value });
	const { run, isPending, error } = useAction(async () => {
		setExplained(undefined);
		const { method, target, headers, body, ip, stringToSign } = input;
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
					<TextInput
						name="method"
						label={t.method}
						code
						required
						value={input.method}
						onValue={set("method")}
					/>
					<TextInput
						name="target"
						label={t.target}
						hint={t.targetHint}
						code
						required
						value={input.target}
						onValue={set("target")}
					/>
					<TextArea
						name="headers"
						label={t.headers}
						hint={t.headersHint}
						code
						required
						rows={6}
						value={input.headers}
						onValue={set("headers")}
					/>
					<TextArea
						name="body_base64"
						label={t.body}
						code
						optional
						rows={2}
						value={input.body}
						onValue={set("body")}
					/>
					<TextArea
						name="string_to_sign"
						label={t.stringToSign}
						hint={t.stringToSignHint}
						code
						optional
						rows={4}
						value={input.stringToSign}
						onValue={set("stringToSign")}
					/>
					<TextInput
						name="ip"
						label={t.ip}
						hint={t.ipHint}
						code
						optional
						value={input.ip}
						onValue={set("ip")}
					/>
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
