// Waits for the first sign-in to an application, says what is in its way, and shows the last one.

import { call } from "../../api/client.ts";
import { useQuery, useRenewal } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { MissingAccess, type Refused, RefusedPerson } from "./missing-access.tsx";

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
	const granted = useQuery(isAdmin() ? `GET /applications/{id}/grants ${id} waiting` : undefined, (signal) =>
		call("GET /applications/{id}/grants", { path: { id }, query: { page_size: 100 }, signal }),
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
