// The routes that change what a configuration file has. A test compares them with those that an apply calls.

export const CHANGES =
	/^(?:POST|PUT|PATCH|DELETE) \/(?:branding|(?:groups|identity-providers|webhooks|applications|tenants)\/\{id\}|applications\/\{id\}\/(?:roles(?:\/\{role_id\})?|oauth-client|gate|grants\/groups\/\{group_id\}))$/;
