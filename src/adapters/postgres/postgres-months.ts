// The audit events of each month in a table of their own on PostgreSQL: functions that create a month and that drop one.

/** Appends wait for as long as a month waits for its lock. */
const DROP_PATIENCE_MS = 80;

/**
 * Creates the table of the month (UTC) of a time, which an append may have to do. `ATTACH` lets other appends continue, which
 * `CREATE TABLE … PARTITION OF` would stop. Triggers for rows come with it, but not those for statements.
 */
export const ADD_MONTH = `
CREATE OR REPLACE FUNCTION add_audit_month(event_at BIGINT) RETURNS VOID LANGUAGE plpgsql AS $month$
DECLARE
	first_day TIMESTAMP := date_trunc('month', to_timestamp(event_at / 1000.0) AT TIME ZONE 'UTC');
	month TEXT := 'audit_events_' || to_char(first_day, 'YYYY_MM');
BEGIN
	IF to_regclass(month) IS NOT NULL THEN RETURN; END IF;
	-- The lock that ATTACH takes. Another transaction may have created the month in the meantime.
	LOCK TABLE ONLY audit_events IN SHARE UPDATE EXCLUSIVE MODE;
	IF to_regclass(month) IS NOT NULL THEN RETURN; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING ALL)', month);
	EXECUTE format('CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION audit_events_kept()',
		month);
	EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', month,
		CAST(extract(epoch FROM first_day) AS BIGINT) * 1000,
		CAST(extract(epoch FROM first_day + INTERVAL '1 month') AS BIGINT) * 1000);
END $month$;`;

/** From the oldest on. */
const MONTHS = `
CREATE OR REPLACE FUNCTION audit_months() RETURNS TABLE (month REGCLASS, from_ms BIGINT, to_ms BIGINT) LANGUAGE sql STABLE AS $months$
	SELECT inhrelid::regclass, CAST(bounds[1] AS BIGINT), CAST(bounds[2] AS BIGINT)
	FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid,
		regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''(-?\\d+)''\\) TO \\(''(-?\\d+)''\\)') AS bounds
	WHERE inhparent = to_regclass('audit_events') ORDER BY 2;
$months$;`;

/**
 * Writes `checkpoints`, a JSON list, and drops the oldest month with all events, if it is the one that begins at `month_from`.
 *
 * While it waits for the lock of the table, all appends wait: a table in use for longer is `busy`. Under the lock, no event is added,
 * so that none after a checkpoint is lost: then the month is `kept`. Nothing is written in either case.
 */
export const DROP_MONTH = `${MONTHS}
CREATE OR REPLACE FUNCTION drop_audit_month(month_from BIGINT, checkpoints JSON) RETURNS TEXT LANGUAGE plpgsql AS $drop$
DECLARE
	oldest RECORD;
	is_needed BOOLEAN;
BEGIN
	PERFORM set_config('lock_timeout', '${DROP_PATIENCE_MS}', true);
	INSERT INTO audit_checkpoints (tenant_id, sequence, hash, statement, created_at)
		SELECT * FROM json_to_recordset(checkpoints) AS c (tenant_id TEXT, sequence BIGINT, hash TEXT, statement TEXT, created_at BIGINT);
	-- ONLY: every append locks the parent, and autovacuum may hold another month for long.
	LOCK TABLE ONLY audit_events IN ACCESS EXCLUSIVE MODE;
	SELECT m.month, m.from_ms INTO oldest FROM audit_months() AS m LIMIT 1;
	IF oldest.from_ms IS DISTINCT FROM month_from THEN RAISE lock_not_available; END IF;
	EXECUTE format('SELECT EXISTS (SELECT 1 FROM audit_heads h
		WHERE (SELECT max(e.sequence) FROM %s e WHERE e.tenant_id = h.tenant_id)
			> coalesce((SELECT max(c.sequence) FROM audit_checkpoints c WHERE c.tenant_id = h.tenant_id), 0))', oldest.month) INTO is_needed;
	IF is_needed THEN RAISE object_in_use; END IF;
	EXECUTE format('ALTER TABLE audit_events DETACH PARTITION %s', oldest.month);
	EXECUTE format('DROP TABLE %s', oldest.month);
	RETURN 'dropped';
EXCEPTION
	WHEN lock_not_available OR deadlock_detected OR unique_violation THEN RETURN 'busy';
	WHEN object_in_use THEN RETURN 'kept';
END $drop$;`;
