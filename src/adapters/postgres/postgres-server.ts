// Which PostgreSQL server responds: SQL that an unprivileged role may run.

/** A `ServerIdentity`. The first 8 digits of the current WAL file are the timeline on which the server writes. */
export const SERVER_IDENTITY = `(SELECT CAST(system_identifier AS TEXT) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
	FROM pg_control_system())`;
