// Limits of the API, for counters and early errors in forms; the API enforces them. A test compares each with the field of
// the OpenAPI document that its comment names.

/** ConfirmMyPasskeyBody.name */
export const PASSKEY_NAME_MAX = 100;
/** UpdateMeBody.display_name */
export const DISPLAY_NAME_MAX = 100;
/** RequestAccessBody.reason */
export const PERSON_REASON_MAX = 500;
/** UpdateApplicationBody.name */
export const APPLICATION_NAME_MAX = 200;
/** UpdateApplicationBody.description */
export const APPLICATION_DESCRIPTION_MAX = 2000;
/** UpdateApplicationBody.slug */
export const SLUG_MAX = 64;
/** UpdateApplicationBody.redirect_uris.items */
export const REDIRECT_URI_MAX = 2048;
/** UpdateApplicationRoleBody.name */
export const ROLE_NAME_MAX = 64;
/** UpdateApplicationRoleBody.description */
export const ROLE_DESCRIPTION_MAX = 500;
/** UpdateApplicationRoleBody.permissions.items */
export const PERMISSION_MAX = 128;
/** NewPermissionDescription.en */
export const PERMISSION_DESCRIPTION_MAX = 200;
/** PutBrandingBody.product_name */
export const PRODUCT_NAME_MAX = 60;
/** PutBrandingBody.sign_in_text */
export const SIGN_IN_TEXT_MAX = 200;
/** PutBrandingBody.sender_name */
export const SENDER_NAME_MAX = 60;
/** CreateApiClientBody.name */
export const CLIENT_NAME_MAX = 200;
/** CreateApiClientBody.ip_allowlist */
export const ALLOWLIST_ENTRIES_MAX = 100;
/** CreateGroupBody.name */
export const GROUP_NAME_MAX = 100;
/** CreateGroupBody.description */
export const GROUP_DESCRIPTION_MAX = 500;
/** CreateAdminKeyBody.name */
export const ADMIN_KEY_NAME_MAX = 100;
/** UpdateIdentityProviderBody.display_name */
export const PROVIDER_NAME_MAX = 100;
/** ApproveRequestBody.review_note */
export const REVIEW_NOTE_MAX = 2000;
/** CreateReviewBody.name */
export const REVIEW_NAME_MAX = 100;
/** DecideReviewItemBody.note */
export const ITEM_NOTE_MAX = 500;
/** CreateTenantBody.name */
export const TENANT_NAME_MAX = 200;
/** CreateWebhookBody.description */
export const WEBHOOK_DESCRIPTION_MAX = 500;
/** AskForProgramBody.reason */
export const PROGRAM_REASON_MAX = 500;
/** SubmitAccessRequestBody */
export const ACCESS_REQUEST_MAX = {
	applicant_name: 100,
	email: 254,
	company: 200,
	project_name: 200,
	purpose: 2000,
} as const;
