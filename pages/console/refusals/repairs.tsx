// What repairs the cause of refused calls, for users who may do it.

import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { useWords } from "../../words/words.ts";
import { openDialog } from "../dialogs.tsx";
import { isAdmin, isReader, mayDecide } from "../roles.ts";
import { NO_CALLER, type Refusal, type Repair } from "./refusal.ts";

/** By the reason of the refusals. */
const KINDS: Readonly<Partial<Record<string, Repair["kind"]>>> = {
	"ip.not_allowed": "allow",
	"client.disabled": "enable",
	"client.expired": "extend",
	"client.unclaimed": "resend",
};
/** Of one reason. */
const SHOWN_MAX = 3;

interface RepairsProps {
	/** With the same reason, the latest first. */
	readonly refusals: readonly Refusal[];
	readonly reason: string;
	/** Whether the refusals are of several clients. */
	readonly namesClient: boolean;
	readonly onRepaired: (() => void) | undefined;
}

export function Repairs({ refusals, reason, namesClient, onRepaired }: RepairsProps) {
	const t = useWords("console-refusals").repairs;
	const [done, setDone] = useState<readonly string[]>([]);
	const kind = KINDS[reason];
	if (kind === undefined || !(kind === "resend" ? mayDecide() && isReader() : isAdmin())) return null;
	const offered = new Map(
		refusals.flatMap(({ subject, api_client_id: clientId, ip, caller, subject_name: name }) => {
			// Anyone can send calls without a valid signature.
			const isProven = kind !== "allow" || caller !== NO_CALLER;
			if (subject !== "api_client" || clientId === null || !isProven) return [];
			const repair = { kind, clientId, ip: kind === "allow" ? ip : "" };
			return [[`${clientId} ${repair.ip}`, { ...repair, name: namesClient ? name : "" }]];
		}),
	);
	const shown = [...offered].filter(([key]) => !done.includes(key)).slice(0, SHOWN_MAX);
	const open = async (repair: Repair) => {
		const { RepairDialog } = await import("./repair-dialog.tsx");
		const repaired = () => {
			setDone((before) => [...before, `${repair.clientId} ${repair.ip}`]);
			onRepaired?.();
		};
		openDialog((close) => <RepairDialog {...repair} onClose={close} onRepaired={repaired} />);
	};
	return (
		<div class="lk-row">
			{shown.map(([key, { name, ...repair }]) => (
				<Button key={key} size="small" onClick={() => open(repair).catch(reportError)}>
					{t.offer[kind](repair.ip)}
					{name !== "" && (
						<>
							{" · "}
							<bdi>{name}</bdi>
						</>
					)}
				</Button>
			))}
		</div>
	);
}
