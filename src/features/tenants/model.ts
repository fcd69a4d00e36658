// A tenant: the wall between customers of one installation. Every row belongs to one.

export interface Tenant {
	readonly id: string;
	readonly name: string;
	readonly slug: string;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** The tenant that exists from the first start and serves requests that name none. */
export const DEFAULT_TENANT_SLUG = "default";

/** Somebody who is not signed in: nobody is known, but the tenant is. */
export interface Visitor {
	readonly tenantId: string;
}

export interface TenantStore {
	insert(tenant: Tenant): Promise<void>;
	findById(id: string): Promise<Tenant | undefined>;
	findBySlug(slug: string): Promise<Tenant | undefined>;
	listAll(): Promise<Tenant[]>;
}
