// Groups of users, and applications granted to them.

/** `name_key` is the lower-case name: uniqueness goes by it. Grants to groups mirror grants to users, table by table. */
export const groups = `
CREATE TABLE user_groups (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	description TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX user_groups_name ON user_groups (tenant_id, name_key);
CREATE INDEX user_groups_newest ON user_groups (tenant_id, created_at, id);

CREATE TABLE group_members (
	group_id TEXT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	added_at BIGINT NOT NULL,
	PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_user ON group_members (user_id, group_id);
CREATE INDEX group_members_newest ON group_members (group_id, added_at, user_id);

CREATE TABLE group_grants (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	app_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	group_id TEXT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX group_grants_subject ON group_grants (app_id, group_id);
CREATE INDEX group_grants_group ON group_grants (group_id);
CREATE INDEX group_grants_newest ON group_grants (app_id, created_at, id);

CREATE TABLE group_grant_roles (
	grant_id TEXT NOT NULL REFERENCES group_grants (id) ON DELETE CASCADE,
	role_id TEXT NOT NULL REFERENCES application_roles (id) ON DELETE CASCADE,
	PRIMARY KEY (grant_id, role_id)
);
CREATE INDEX group_grant_roles_role ON group_grant_roles (role_id);
`;
