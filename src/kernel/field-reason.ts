// Why the service refuses a field: the closed list of reason codes, each with its English text and its parameters.

import { fillTemplate, type ParametersIn, type TemplateValue } from "./message-template.ts";

/** Each text follows the name of the field. `{name}` is a parameter. Codes are stable once released. */
export const FIELD_REASONS = {
	// Any field
	required: "is required",
	type: "must be of type {type}",
	type_or_null: "must be of type {type} or null",
	one_of: "must be one of {values}",
	some_of: "must be one or more of {values}, separated by commas",
	pattern_mismatch: "must match {pattern}",
	duplicate: "is a duplicate",
	repeated: "must not be repeated",
	not_a_permission: "is not a permission of the role",
	openid_scope: "is the name of an OpenID scope; use another name for a permission",
	unknown_field: "is unknown; accepted fields: {fields}",
	unknown_parameter: "is unknown; accepted parameters: {parameters}",
	no_fields: "is unknown; this request accepts no fields",
	no_parameters: "is unknown; this request accepts no parameters",
	similar_name: "is unknown; did you mean {name}?",
	invalid: "is invalid",
	// Text
	blank: "must not be blank",
	characters_min: "must be at least {min} characters",
	characters_max: "must be at most {max} characters",
	bytes_max: "must be at most {max} bytes in UTF-8",
	invalid_characters: "must not contain NUL characters or lone surrogates",
	hidden_character:
		"must not contain {character}, a character that is invisible or changes the direction of text",
	no_visible_character: "must contain a visible letter or digit",
	uuid: "must be a UUID",
	not_uuid: "must not be a UUID",
	email: "must be one ASCII email address of at most 254 characters",
	email_unchanged: "is already the email address of the account",
	sender:
		"must be {address}, this address with a +tag, or an address that a platform admin has listed for the tenant",
	base64: "must be base64",
	png: "must be a complete PNG image without animation",
	pixels_max: "must be at most {max} pixels wide and {max} pixels high",
	sha256: "must be 64 lowercase hexadecimal digits",
	// Numbers and lists
	minimum: "must be at least {min}",
	maximum: "must be at most {max}",
	whole_number: "must be a whole number from {min} to {max}",
	empty: "must not be empty",
	items_min: "must have at least {min} items",
	items_max: "must have at most {max} items",
	duplicate_items: "must not contain duplicates",
	// Times
	time: "must be an ISO 8601 time with a time zone, for example 2026-11-20T08:00:00Z",
	future: "must be in the future",
	until_max: "must be at least a minute in the future, and not after {until}",
	future_days: "must be in the future, at most {days} days from now",
	minute_to_days: "must be at least one minute and at most {days} days from now",
	not_future: "must not be in the future",
	days_ahead: "must be {min} to {max} days from now",
	before_to: "must be before to",
	steps_max: "must be at most {max} steps before to, where a step is one {step}",
	// IP addresses
	ip: "must be an IPv4 or IPv6 address without zone, brackets, or port",
	ip_or_range: "must be an IPv4 or IPv6 address or a CIDR range",
	leading_zero: "has an octet with a leading zero",
	zone_id: "must not have a zone ID, which only one machine can interpret",
	prefix_length: "has an invalid prefix length; use /{min} to /{max}",
	host_bits: "has host bits set; the range is {range}",
	// URLs
	web_url: "must be an absolute http or https URL without credentials",
	https_url: "must be an absolute https URL in ASCII",
	https_or_mailto: "must be an absolute https URL or a mailto: link",
	https_or_loopback: "must use https; http is allowed only for localhost, 127.0.0.1, and [::1]",
	url_credentials: "must not contain credentials",
	url_fragment: "must not have a fragment",
	url_query_or_fragment: "must not have a query or fragment",
	url_port: "must not use port 0",
	url_wildcard_host: "must not have a wildcard in the host, because the URL is compared exactly",
	not_public: "must not point to a private or reserved address; the operator can allow it with {setting}",
	resource_uri: "must be an absolute URI in ASCII without a fragment, for example https://api.example.com",
	own_url: "must not be a URL of this service",
	own_page:
		"must be /sign-in, /account, /console, or /portal, or a path below the last three, with any query, percent-encoded as browsers do",
	url_with_port: "must not have a port",
	url_path: "must have a path, for example /oauth/client.json",
	url_normal: "must be written in its normal form, without dot segments and uppercase letters in the host",
	url_host_name: "must name its host: an IP address or a name that ends with a dot is refused",
	redirect_scheme:
		"must be an https URL, an http URL of a loopback host, or use a private-use scheme with a period, for example com.example.app:/callback",
	http_method: "must be an HTTP method, for example POST",
	request_target: "must be a request target without spaces or line breaks",
	// Restored audit events
	not_in_trail: "is not in the trail, or only a part of it",
	changed_again: "was changed again after the event",
	// Configuration files
	yaml: "is not accepted as YAML: it {cause}",
	refused_change: "would be refused: {cause}",
	for_command:
		"must not contain an expansion with a dollar sign or secret_file: the command replaces them before it sends the file",
	changes_max: "has more than {max} changes: apply a part of the file first",
	not_renamed: "is no longer true: remove it, or name the slug that the application has now",
	stored_name: "must be written as it is stored: {name}",
	needed_by_gate: "must keep {permission}, which a rule of the gate needs and no other role names",
	unknown_group: "has a group that does not exist: add it under groups",
	unknown_user: "is not the username of a user",
	needs_people: "are people: export, plan, and apply them with --people, or people in the API",
	unknown_provider: "must be the name of an identity provider of the tenant",
	// Rules of a gate
	rule_path:
		"must be a path of segments with A-Z a-z 0-9 . _ ~ -, where a segment in braces matches any segment, and * at the end everything below",
	rule_needs: "must be public, signed-in, or a permission without *",
	not_held: "is held by no role of the application: add the permission to a role first",
	rule_method: "must be an HTTP method in upper case, for example POST",
	https_origin: "must be an https origin without a path, for example https://shop.example",
	used_by_gate: "is already used by the gate of another application",
	// Passwords and proofs
	incorrect: "is incorrect",
	incorrect_code: "is incorrect; check the clock of the device",
	incorrect_or_expired: "is incorrect or has expired",
	passkey_mismatch: "does not match the latest options, or arrived too late",
	password_common: "is one of the most common passwords; choose another",
	password_breached: "appears in a known data breach; choose another",
	password_is_name: "must not be the username or email address",
	password_unchanged: "must differ from the current password",
	required_for_sign_in: "is required: the account has no other way to sign in",
	required_or_recent_sign_in: "is required unless you signed in within the last {minutes} minutes",
	recent_sign_in:
		"cannot be checked: the account has no password; sign in again and retry within {minutes} minutes",
	entity_tags: "must be entity tags in double quotes, separated by commas, or *",
	session_header: 'must be "cookie", or absent',
	// Users, tenants, applications, groups
	required_without_invite: "is required unless invite is true",
	absent_with_invite: "must be absent if invite is true",
	cannot_become_invited: "cannot be changed to invited; create users with invite instead",
	default_tenant: "cannot be changed for the default tenant",
	own_tenant_only: "must be your own tenant",
	used_by_tenant: "is already used by another tenant",
	used_by_application: "is already used by another application",
	used_by_role: "is already used by another role of the application",
	used_by_group: "is already used by another group",
	not_an_application: "is not the ID of an application",
	not_a_request: "is not the ID of a request",
	other_kind: "must be absent: it belongs to requests of the kind {kind}",
	not_a_role: "is not a role of this application",
	not_a_group: "is not the ID of a group",
	not_requested: "is not a role that the request names",
	absent_for_subject: "must be absent for the subject {subject}",
	absent_with_app: "must be absent if app_id is present",
	keep_only: "must be absent unless decision is keep",
	// Identity providers and OAuth clients
	domain_name: "must be a domain such as example.com",
	public_mail_domain: "is a domain of a public mail provider, at which anyone gets a mailbox",
	not_a_sign_in_issuer: "is not the ID of an identity provider that signs users in",
	without_enabled_issuer: "needs an enabled identity provider for the domain",
	required_for_kind: "is required for a provider of kind {kind}",
	absent_for_kind: "must be absent: a provider of kind {kind} has a fixed issuer",
	required_for_use: "is required for the use {use}",
	absent_without_use: "must be absent without the use {use}",
	absent_without_uses: "must be absent without one of the uses {uses}",
	sub_for_kind: "must be sub for a provider of kind {kind}",
	sign_in_only: "must be sign_in only for a provider of kind {kind}",
	issuer_exact: "must be {issuer}, as the discovery document names it, character by character",
	issuer_other: "is not the issuer that its discovery document names",
	issuer_unusable: "has no usable discovery document: {cause}",
	issuer_unreachable: "cannot be reached: {cause}; send force to save it anyway",
	absent_for_service: "must be absent: a client of type service does not sign users in",
	one_of_for_type: "must be one of {values} for a client of type {type}",
	native_for_scheme: "must be native, because the application has the redirect URI {uri}",
	scheme_needs_native: "has a private-use scheme, which only an OAuth client of type native may have",
	false_unless_native: "must be false unless the client is of type native",
	keys_required: "is required for auth_method private_key_jwt, unless jwks_uri is present",
	absent_without_keys: "must be absent unless auth_method is private_key_jwt",
	for_profile: "must be {values} with the profile {profile}",
	registered_claim: "is the name of a registered claim",
	absent_for_public: "must be absent for a client without a secret or a key",
	resource_required: "must be absent unless the client has a resource",
	absent_with_jwks: "must be absent if jwks is present",
	absent_with_body: "must be absent if body_base64 is present",
	required_unless_application: "is required unless resource.type is application",
	not_a_service: "is not an application whose OAuth client has the type service",
	not_a_resource: "is not the resource of an application",
	not_allowed_resource: "is not in allowed_resources",
	absent_without_workload: "must be absent unless auth_method is workload",
	workloads_count: "must contain 1 to {max} workloads for auth_method workload",
	workload_wildcard:
		"must be exact, or end with /* or :* after at least two segments, for example repo:acme/* or system:serviceaccount:prod:*",
	workload_claim: "must not name the claim {claim}, which is checked anyway",
	issuer_query: "must be the issuer of an authorization server, which has no query",
	workload_role: "must not contain platform_admin for a key with workloads",
	not_an_issuer: "must name an identity provider of the tenant with the use workloads",
	used_as_resource: "is already the resource of another application",
	// Documents of programs
	same_url: "must be the URL of the document, character by character",
	not_readable: "cannot be read: {cause}",
	json_object: "must be a JSON object",
	public_document: "must be absent: everyone can read the document",
	// Public keys
	keys_count: "must contain 1 to {max} keys",
	private_key: "must be a public key; {member} is a private member",
	key_type: "must have kty EC, RSA, or OKP",
	key_curve: "must have crv {curve}",
	key_algorithm: "must have alg {algorithms}, or no alg",
	key_use: "must be usable for verification: use sig, key_ops with verify, or neither",
	key_id: "must have a kid of 1 to {max} characters, or no kid",
	key_id_required: "must have a kid, because there are several keys",
	key_id_duplicate: "has the same kid as another key",
	key_member: "must have {member} in base64url, in full length",
	key_bits: "must have {min} to {max} bits",
	key_exponent: "must have an odd e of at least 3",
	key_unusable: "is not a usable key",
	key_okp: "must have kty OKP and crv Ed25519",
	key_point: "must have an x that is a point of Ed25519, and not one of small order",
} as const satisfies Readonly<Record<string, string>>;

export type FieldReason = keyof typeof FIELD_REASONS;

export type ReasonParameters<Reason extends FieldReason> = ParametersIn<(typeof FIELD_REASONS)[Reason]>;

/** What is wrong with a value: a reason code with its parameters, and both as English text. */
export interface Problem {
	readonly code: FieldReason;
	readonly params: Readonly<Record<string, TemplateValue>>;
	readonly message: string;
}

/** `problem("characters_max", { max: 100 })`. */
export function problem<const Reason extends FieldReason>(
	code: Reason,
	...parameters: ReasonParameters<Reason>
): Problem {
	const params: Problem["params"] = parameters[0] ?? {};
	return { code, params, message: fillTemplate(FIELD_REASONS[code], params) };
}
