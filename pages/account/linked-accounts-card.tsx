// Links and unlinks accounts at providers. Hidden if no provider is configured and no account is linked.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import { send } from "../api/request.ts";
import type { Schemas } from "../api/routes.ts";
import { ConfirmAction } from "../dialogs/confirm-action.tsx";
import "./linked-accounts.css";
import { ProviderLogo } from "../sign-in/provider-logo.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { type Entry, EntryList } from "../ui/entry-list.tsx";
import { link } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { announce } from "../ui/status-line.tsx";
import { format } from "../words/format.ts";
import { useWords } from "../words/words.ts";
import { ownUser } from "./own-user.ts";
import { proveOwner } from "./owner-dialog.tsx";
import { providerOutcome } from "./provider-return.ts";

type Account = Schemas["ThirdPartyAccount"];
type Provider = Schemas["ThirdPartyProvider"];

interface Unlinked {
	readonly account: Account;
	readonly name: string;
}

export function LinkedAccountsCard() {
	const t = useWords("account");
	const { id, tenant_id } = ownUser();
	const [unlinked, setUnlinked] = useState<Unlinked>();
	const loaded = useQuery(`links ${id}`, async (signal) => {
		const [methods, links] = await Promise.all([
			send("GET", "/api/v1/auth/methods", { signal, tenantId: tenant_id }) as Promise<
				Schemas["SignInMethodsResponse"]
			>,
			call("GET /users/me/third-party-accounts", { signal }),
		]);
		return { providers: methods.data.providers, accounts: links.data };
	});
	const refusal = useProviderOutcome();
	if (loaded.data === undefined)
		return loaded.error === undefined ? null : (
			<LoadError error={loaded.error} onRetry={loaded.reload} pending={loaded.isLoading} />
		);
	const { providers, accounts } = loaded.data;
	if (providers.length + accounts.length === 0) return null;
	const logoOf = (slug: string) => {
		const kind = providers.find(({ provider }) => provider === slug)?.kind;
		return kind && <ProviderLogo kind={kind} />;
	};
	const nameOf = (slug: string) => providers.find(({ provider }) => provider === slug)?.display_name ?? slug;
	const entries: Entry[] = accounts.map((account) => ({
		key: account.id,
		icon: link,
		media: logoOf(account.provider),
		title: nameOf(account.provider),
		badge: <Badge>{t.linked}</Badge>,
		detail: <bdi>{t.linkedAs(account.provider_user_id, format.date(account.linked_at))}</bdi>,
		actions: (
			<Button size="small" onClick={() => setUnlinked({ account, name: nameOf(account.provider) })}>
				{t.unlink}
				<span class="lk-hidden"> {nameOf(account.provider)}</span>
			</Button>
		),
	}));
	const others = providers.filter(({ provider }) =>
		accounts.every((account) => account.provider !== provider),
	);
	for (const provider of others)
		entries.push({
			key: provider.provider,
			icon: link,
			media: logoOf(provider.provider),
			title: provider.display_name,
			actions: <LinkButton provider={provider} />,
		});
	return (
		<>
			{refusal !== undefined && <Notice tone="danger">{refusal}</Notice>}
			<Card title={t.linkedAccounts} description={t.linkedAccountsText} flush>
				<EntryList label={t.linkedAccounts} entries={entries} />
			</Card>
			{unlinked !== undefined && (
				<ConfirmAction
					title={t.unlinkTitle(unlinked.name)}
					submitLabel={t.unlink}
					act={() =>
						call("DELETE /users/me/third-party-accounts/{id}", { path: { id: unlinked.account.id } })
					}
					done={t.accountUnlinked(unlinked.name)}
					onClose={() => setUnlinked(undefined)}
					onDone={loaded.reload}
				>
					{t.unlinkText}
				</ConfirmAction>
			)}
		</>
	);
}

function LinkButton({ provider: { provider, display_name } }: { readonly provider: Provider }) {
	const t = useWords("account");
	const leave = async () => {
		const started = await proveOwner({
			title: t.linkTitle(display_name),
			text: t.linkText,
			submitLabel: t.continue,
			act: (body) =>
				call("POST /users/me/third-party-accounts/{provider}/start", {
					path: { provider },
					body: { return_to: "/account", ...body },
				}),
		});
		if (started !== undefined) location.assign(started.value.data.authorization_url);
	};
	return (
		<Button size="small" onClick={leave}>
			{t.link}
			<span class="lk-hidden"> {display_name}</span>
		</Button>
	);
}

/** Announces a new link; returns the reason if linking failed. */
function useProviderOutcome(): string | undefined {
	const t = useWords("account");
	const outcome = providerOutcome.value;
	useEffect(() => {
		if (outcome === "linked") {
			announce(t.accountLinked);
			providerOutcome.value = undefined;
		}
	}, [outcome]);
	return outcome === undefined || outcome === "linked" ? undefined : (t.linkErrors[outcome] ?? outcome);
}
