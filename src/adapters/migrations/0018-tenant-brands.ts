// How mails and pages present a tenant.

/** A text is empty where the tenant uses the installation's. */
export const tenantBrandsTable = `
CREATE TABLE tenant_brands (
	tenant_id TEXT PRIMARY KEY REFERENCES tenants (id),
	product_name TEXT NOT NULL,
	logo_url TEXT NOT NULL,
	accent_color TEXT NOT NULL,
	support_email TEXT NOT NULL,
	sender_name TEXT NOT NULL,
	sender_address TEXT NOT NULL,
	updated_at BIGINT NOT NULL
);
`;
