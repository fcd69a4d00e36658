// What the page URL requests: an application, a tenant or a page of the service; and a provider's response.

export interface ApplicationRequest {
	readonly appId: string;
	readonly redirectUri: string;
	readonly state?: string;
	readonly codeChallenge?: string;
}

export interface Visit {
	readonly application: ApplicationRequest | undefined;
	/** ID of an OpenID Connect interaction. */
	readonly interaction: string | undefined;
	/** ID of an application whose gate needs a second factor for the page in `returnTo`. */
	readonly factorFor: string | undefined;
	/** Slug. */
	readonly tenant: string | undefined;
	/** Untrusted: see `ownPage`. */
	readonly returnTo: string | null;
}

export function readVisit(search: string): Visit {
	const query = new URLSearchParams(search);
	const appId = query.get("app_id");
	const state = query.get("state");
	const codeChallenge = query.get("code_challenge");
	return {
		application:
			appId === null
				? undefined
				: {
						appId,
						redirectUri: query.get("redirect_uri") ?? "",
						...(state !== null && { state }),
						...(codeChallenge !== null && { codeChallenge }),
					},
		interaction: query.get("interaction") ?? undefined,
		factorFor: query.get("second_factor") ?? undefined,
		tenant: query.get("tenant") ?? undefined,
		returnTo: query.get("return_to"),
	};
}

/** The provider's response in the fragment, which is removed from the URL and the history immediately. */
export function takeProviderResponse(): { readonly ticket: string } | { readonly error: string } | undefined {
	const fragment = new URLSearchParams(location.hash.slice(1));
	const [ticket, error] = [fragment.get("ticket"), fragment.get("error")];
	if (ticket === null && error === null) return undefined;
	history.replaceState(history.state, "", `${location.pathname}${location.search}`);
	return ticket === null ? { error: error ?? "" } : { ticket };
}
