// Which PostgreSQL server responds: SQL that an unprivileged role may run.

/**
 * A `ServerIdentity`. The first 8 digits of the current WAL file are the timeline on which the server writes. A standby
 * writes on none, and a pooler may go to one between two statements: 0 is earlier than every timeline.
 */
export const SERVER_IDENTITY = `(SELECT CAST(system_identifier AS TEXT) || '/' || CASE WHEN pg_is_in_recovery() THEN '00000000'
	ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END FROM pg_control_system())`;
