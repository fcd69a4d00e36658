// Repairs what refuses the calls of an API client, after showing the effect.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries } from "../../api/query.ts";
import { useCall } from "../../api/use-call.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { covers, parseRange } from "../client-settings/address-range.ts";
import { dayOf, endOf } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { type ApiClient, useClient } from "../clients/client-record.ts";
import { knownCalls } from "../clients/known-calls.ts";
import { RecentCalls } from "../clients/recent-calls.tsx";
import type { Repair } from "./refusal.ts";

const EXTENDED_MS = 90 * 86_400_000;

interface RepairDialogProps extends Repair {
	readonly onClose: () => void;
	readonly onRepaired: () => void;
}

/** The client as it is now: another administrator may have repaired it. */
export function RepairDialog(props: RepairDialogProps) {
	const { kind, clientId, ip, onClose } = props;
	const t = useWords("console-refusals").repairs;
	const client = useClient(clientId);
	const { data } = client;
	const frame = (children: ComponentChildren) => (
		<Dialog
			title={t.title[kind](ip)}
			size="small"
			onClose={onClose}
			actions={<Button onClick={onClose}>{uiWords().close}</Button>}
		>
			{children}
		</Dialog>
	);
	if (data === undefined) return frame(<Loaded query={client}>{() => null}</Loaded>);
	if (!isNeeded(data, props)) return frame(<p>{t.notNeeded(data.name)}</p>);
	return <Confirm {...props} client={data} />;
}

function isNeeded(
	{ status, expires_at: end, ip_allowlist, access_request_id }: ApiClient,
	{ kind, ip }: Repair,
) {
	switch (kind) {
		case "enable":
			return status === "disabled";
		case "extend":
			return end !== null && Date.parse(end) <= Date.now();
		case "resend":
			return status === "unclaimed" && access_request_id !== null;
		default: {
			const address = parseRange(ip);
			const ranges = ip_allowlist.map(parseRange);
			return (
				ranges.length > 0 &&
				!("problem" in address) &&
				!ranges.some((range) => !("problem" in range) && covers(range, address))
			);
		}
	}
}

function Confirm({
	kind,
	ip,
	client,
	onClose,
	onRepaired,
}: RepairDialogProps & { readonly client: ApiClient }) {
	const t = useWords("console-refusals").repairs;
	const [lastDay, setLastDay] = useState(dayOf(new Date(Date.now() + EXTENDED_MS).toISOString()));
	const path = { id: client.id };
	const entries = [...client.ip_allowlist, ip];
	const act = {
		allow: () => call("PATCH /api-clients/{id}", { path, body: { ip_allowlist: entries } }),
		enable: () => call("PATCH /api-clients/{id}", { path, body: { status: "active" } }),
		extend: () => call("PATCH /api-clients/{id}", { path, body: { expires_at: endOf(lastDay) } }),
		resend: () => call("POST /requests/{id}/resend", { path: { id: client.access_request_id ?? "" } }),
	}[kind];
	return (
		<ConfirmAction
			title={t.title[kind](ip)}
			submitLabel={t.submit[kind]}
			tone="primary"
			size={kind === "allow" ? "large" : "small"}
			act={act}
			done={t.done[kind](client.name, ip)}
			onClose={onClose}
			onDone={() => {
				forgetQueries("GET /api-clients");
				forgetQueries(`client ${client.id}`);
				onRepaired();
			}}
		>
			<div class="lk-stack">
				<p>{t.text[kind](client.name, client.owner_email ?? "")}</p>
				{kind === "allow" && <Effect client={client} entries={entries} />}
				{kind === "extend" && <ExpiryField value={lastDay} onValue={setLastDay} />}
			</div>
		</ConfirmAction>
	);
}

/** Which known calls the changed allowlist would accept. */
function Effect({ client, entries }: { readonly client: ApiClient; readonly entries: readonly string[] }) {
	const refused = useCall("GET /refusals", { query: { api_client_id: client.id, page_size: 100 } });
	return (
		<Loaded query={refused} lines={3}>
			{({ data }) => <RecentCalls calls={knownCalls(client, [], data)} entries={entries} />}
		</Loaded>
	);
}
