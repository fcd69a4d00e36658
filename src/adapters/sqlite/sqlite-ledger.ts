// Counts the commits of an embedded database, in the database and in the mark beside it, and notices when another process
// or another file takes its place.

import { dirname, join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Clock } from "../../kernel/clock.ts";
import type { DatabaseLoss, Ownership } from "../sql/ownership.ts";
import { type DatabaseState, filesOf, inodeOf, isBehind, MarkFile, readMark } from "./database-mark.ts";
import { LOCK_FILE } from "./folder-lock.ts";
import { databaseUnavailable, isFlushFailure } from "./sqlite-fault.ts";

const KEYS = { owner: "database_owner", before: "database_owner_before", commits: "database_commits" };
const NO_OWNER = "-";
const READ = `SELECT
	COALESCE((SELECT value FROM meta WHERE key = '${KEYS.owner}'), '${NO_OWNER}') AS owner,
	COALESCE((SELECT value FROM meta WHERE key = '${KEYS.before}'), '${NO_OWNER} 0') AS before,
	CAST(COALESCE((SELECT value FROM meta WHERE key = '${KEYS.commits}'), 0) AS INTEGER) AS commits`;
const PUT =
	"INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
/** Counts only for the owner, in one statement: another process cannot become the owner in between. */
const COUNT = `UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = '${KEYS.commits}'
	AND ?1 IN ((SELECT value FROM meta WHERE key = '${KEYS.owner}'), '') RETURNING CAST(value AS INTEGER) AS commits`;
const TOTAL_CHANGES = "SELECT total_changes() AS total";

/** What follows the commits of the writer: `count` before each one, `mark` after it. */
export class Ledger implements Ownership {
	readonly #writer: DatabaseSync;
	readonly #file: string;
	readonly #inBatch: <T>(work: () => T) => Promise<T>;
	#statements: { readonly count: StatementSync; readonly total: StatementSync } | undefined;
	/** "" for a command, which any owner may run beside. */
	#owner = "";
	#mark: MarkFile | undefined;
	#marked = { owner: NO_OWNER, files: "" };
	#lock = "";
	#clock: Clock = () => 0;
	#total = 0;
	#commits: number | undefined;
	#onLost: ((reason: string) => void) | undefined;
	lastCommitAtMs = 0;

	/** @param inBatch runs work in a write batch. */
	constructor(writer: DatabaseSync, file: string, inBatch: <T>(work: () => T) => Promise<T>) {
		this.#writer = writer;
		this.#file = file;
		this.#inBatch = inBatch;
	}

	findLoss(): DatabaseLoss | undefined {
		const mark = readMark(this.#file);
		this.lastCommitAtMs = mark?.atMs ?? 0;
		if (mark === undefined || !isBehind(mark, this.#read())) return undefined;
		return { lastAtMs: mark.atMs };
	}

	async take(owner: string, clock: Clock, onLost: (reason: string) => void): Promise<void> {
		await this.#inBatch(() => {
			const { owner: before, commits } = this.#read();
			const put = this.#writer.prepare(PUT);
			put.run(KEYS.before, `${before} ${commits}`);
			put.run(KEYS.owner, owner);
			put.run(KEYS.commits, String(commits));
		});
		this.#owner = owner;
		this.#onLost = onLost;
		this.#follow(owner, clock, filesOf(this.#file));
		this.#lock = this.#lockInode();
		this.#writeMark(this.#read().commits);
	}

	follow(clock: Clock): void {
		const mark = readMark(this.#file);
		const state = this.#read();
		// Before the first start of a service, there is nothing to count.
		if (state.owner === NO_OWNER) return;
		if (mark === undefined || mark.owner !== state.owner || isBehind(mark, state)) this.#prepare();
		else this.#follow(mark.owner, clock, mark.files);
	}

	check(): void {
		if (filesOf(this.#file) !== this.#marked.files || this.#lockInode() !== this.#lock)
			this.#lose(`a file of the database ${this.#file} was replaced or removed while the service held it`);
		else if (this.#read().owner !== this.#owner) this.#loseToOther();
	}

	/** Call inside the transaction, after its last change. @throws AppError `service.unavailable` when another process is the owner. */
	count(): void {
		this.#commits = undefined;
		if (this.#statements === undefined) return;
		const total = Number(this.#statements.total.get()?.total);
		if (total === this.#total) return;
		const row = this.#statements.count.get(this.#owner);
		if (row === undefined) {
			this.#loseToOther();
			throw databaseUnavailable(new Error("another process uses the database"));
		}
		this.#total = total + 1;
		this.#commits = Number(row.commits);
	}

	/** Call after the commit. */
	mark(): void {
		if (this.#commits !== undefined) this.#writeMark(this.#commits);
	}

	/** A failed flush is never repeated: the operating system may have dropped the pages, and the next one would succeed. */
	fail(error: unknown): void {
		if (isFlushFailure(error))
			this.#lose(`the disk failed to store a commit of ${this.#file}: ${error.message}`);
	}

	close(): void {
		this.#statements = undefined;
		this.#mark?.close();
		this.#mark = undefined;
	}

	#follow(owner: string, clock: Clock, files: string): void {
		this.#clock = clock;
		this.#marked = { owner, files };
		this.#mark = new MarkFile(this.#file);
		this.#prepare();
	}

	#prepare(): void {
		this.#statements = { count: this.#writer.prepare(COUNT), total: this.#writer.prepare(TOTAL_CHANGES) };
		this.#total = Number(this.#statements.total.get()?.total);
	}

	#writeMark(commits: number): void {
		this.#mark?.write({ ...this.#marked, commits, atMs: this.#clock() });
	}

	#read(): DatabaseState {
		const row = this.#writer.prepare(READ).get();
		const [owner = NO_OWNER, commits = "0"] = String(row?.before).split(" ");
		const before = { owner, commits: Number(commits) };
		return { owner: String(row?.owner), commits: Number(row?.commits), before };
	}

	#lockInode(): string {
		return inodeOf(join(dirname(this.#file), LOCK_FILE));
	}

	#loseToOther(): void {
		this.#lose(`another process uses the database ${this.#file}`);
	}

	/** Reports once. */
	#lose(reason: string): void {
		this.#onLost?.(reason);
		this.#onLost = undefined;
	}
}
