// What the page URL requests: an interaction, a tenant, or a page of the service; and the return from a provider.

export interface Visit {
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
	return {
		interaction: query.get("interaction") ?? undefined,
		factorFor: query.get("second_factor") ?? undefined,
		tenant: query.get("tenant") ?? undefined,
		returnTo: query.get("return_to"),
	};
}

/**
 * The outcome in the fragment when the browser returns from a provider, which is removed from the URL and the history
 * immediately: `finish`, or an error code.
 */
export function takeProviderOutcome(): "finish" | { readonly error: string } | undefined {
	const error = new URLSearchParams(location.hash.slice(1)).get("error");
	const outcome = location.hash === "#finish" ? "finish" : error === null ? undefined : { error };
	if (outcome !== undefined)
		history.replaceState(history.state, "", `${location.pathname}${location.search}`);
	return outcome;
}
