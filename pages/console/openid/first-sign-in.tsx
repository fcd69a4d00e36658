// Waits for the first sign-in to an application, says what is in its way, and shows the last one.

import { call } from "../../api/client.ts";
import { useAction, useQuery, useRenewal } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { giveMyself, putGrant } from "../grants/change-grant.ts";
import { isAdmin } from "../roles.ts";

/** A developer watches this while trying out the code. An administrator makes two calls each time. */
const WATCHED_MS = 3_000;

type Application = Schemas["Application"];

export function FirstSignIn({ application }: { readonly application: Application }) {
	const { id, last_sign_in_at: known = null } = application;
	return known === null ? <WaitForIt id={id} /> : <SignedIn at={known} />;
}

function WaitForIt({ id }: { readonly id: string }) {
	const t = useWords("console-access").openid;
	const query = useQuery(`last sign-in ${id}`, (signal) => look(id, signal));
	const granted = useCall(
		"GET /applications/{id}/grants",
		isAdmin() ? { path: { id }, query: { page_size: 100 } } : undefined,
	);
	const { application, refused } = query.data ?? {};
	const at = application?.last_sign_in_at ?? null;
	useRenewal(query, at === null ? WATCHED_MS : undefined);
	if (at !== null) return <SignedIn at={at} />;
	if (query.error !== undefined)
		return <LoadError error={query.error} onRetry={query.reload} pending={query.isLoading} />;
	const { data: grants } = granted.data ?? {};
	const changed = () => {
		granted.reload();
		query.reload();
	};
	if (application?.access_policy === "assigned" && grants !== undefined) {
		if (grants.length === 0) return <MissingAccess id={id} refused={refused} onChanged={changed} />;
		if (refused !== undefined && !grants.some(({ user_id }) => user_id === refused.id))
			return <RefusedPerson id={id} refused={refused} onChanged={changed} />;
	}
	return <Notice title={t.waiting}>{t.waitingText}</Notice>;
}

interface Looked {
	readonly application: Application;
	/** The last person that was refused for missing access. */
	readonly refused: Refused | undefined;
}

async function look(id: string, signal: AbortSignal): Promise<Looked> {
	const [{ data: application }, failed] = await Promise.all([
		call("GET /applications/{id}", { path: { id }, signal }),
		isAdmin()
			? call("GET /audit-events", { query: { action: ["user.sign_in_failed"], page_size: 20 }, signal })
			: undefined,
	]);
	const event = failed?.data.find(
		({ details }) => details.app_id === id && details.reason === "application.access_denied",
	);
	const { target = "", target_name: name = "", at = "" } = event ?? {};
	const refused = event && { id: target.slice(target.indexOf(":") + 1), name, at };
	return { application, refused };
}

function SignedIn({ at }: { readonly at: string }) {
	const t = useWords("console-access").openid;
	return (
		<Notice tone="success" title={t.signInWorks}>
			{t.lastSignIn} <Time at={at} format="relative" />
		</Notice>
	);
}

/** A person who was refused for missing access. */
interface Refused {
	readonly id: string;
	readonly name: string;
	readonly at: string;
}

interface MissingAccessProps {
	readonly id: string;
	readonly refused: Refused | undefined;
	readonly onChanged: () => void;
}

function MissingAccess({ id, refused, onChanged }: MissingAccessProps) {
	const t = useWords("console-access").openid;
	const give = useAction(() => giveMyself(id).then(onChanged));
	const open = useAction(async () => {
		await call("PATCH /applications/{id}", { path: { id }, body: { access_policy: "open" } });
		onChanged();
	});
	const error = give.error ?? open.error;
	return (
		<Notice
			tone="warning"
			title={t.noAccess}
			action={
				<div class="lk-row">
					<Button pending={give.isPending} onClick={give.run}>
						{t.giveSelf}
					</Button>
					<Button pending={open.isPending} onClick={open.run}>
						{t.openToAll}
					</Button>
				</div>
			}
		>
			<p>{t.noAccessText}</p>
			{refused !== undefined && <RefusedLine {...refused} />}
			{error !== undefined && <p>{error.message}</p>}
		</Notice>
	);
}

interface RefusedPersonProps {
	readonly id: string;
	readonly refused: Refused;
	readonly onChanged: () => void;
}

function RefusedPerson({ id, refused, onChanged }: RefusedPersonProps) {
	const t = useWords("console-access").openid;
	const give = useAction(() => putGrant(id, { kind: "user", ...refused }, []).then(onChanged));
	return (
		<Notice
			tone="warning"
			title={t.waiting}
			action={
				<Button pending={give.isPending} onClick={give.run}>
					<bdi>{t.giveAccessTo(refused.name)}</bdi>
				</Button>
			}
		>
			<RefusedLine {...refused} />
			{give.error !== undefined && <p>{give.error.message}</p>}
		</Notice>
	);
}

function RefusedLine({ name, at }: Refused) {
	const t = useWords("console-access").openid;
	return (
		<p>
			<bdi>{t.wasRefused(name)}</bdi> · <Time at={at} format="relative" />
		</p>
	);
}
