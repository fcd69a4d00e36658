// The requests and responses of the open APIs that the client calls, as the OpenAPI document describes them.

export interface BasicUser {
	id: string;
	username: string;
	display_name: string;
	email: string;
	avatar_url: string;
	status: string;
	/** ISO 8601, like all times. */
	created_at: string;
}

export interface UserWithThirdPartyAccount extends BasicUser {
	third_party_account: { provider: string; provider_user_id: string; linked_at: string };
}

export interface AccessQuestion {
	user_id: string;
	/** Default: the application of the client. Any other requires the scope `access:check:tenant`. */
	app_id?: string;
	/** Such as `orders:read`. Without it, the check is whether the user may use the application at all. */
	permission?: string;
}

export interface AccessDecision {
	allowed: boolean;
	/** `ok`, or why not, such as `missing_permission`. */
	reason: string;
	user_id: string;
	app_id: string;
	permission: string | null;
	roles: string[];
	permissions: string[];
	/** Whether the lists are incomplete. The decision considers all roles and permissions. */
	truncated?: boolean;
}

export interface ThirdPartyAccount {
	/** The slug of the provider, such as `wechat`. */
	provider: string;
	/** The user's id at the provider, compared exactly. */
	provider_user_id: string;
}

export interface ApiClient {
	id: string;
	tenant_id: string;
	app_id: string;
	name: string;
	api_key: string;
	/** The last four characters of the Secret. */
	secret_hint: string;
	status: string;
	scopes: string[];
	ip_allowlist: string[];
	ip_allowlist_mode: string;
	expires_at: string | null;
	secret_created_at: string | null;
	/** The previous Secret is valid until then. */
	previous_secret_expires_at: string | null;
}

export interface WhoAmI {
	client: ApiClient;
	/** The IP address that the service saw: the one that an allowlist must contain. */
	ip: string;
	scheme: string;
	server_time: string;
}
