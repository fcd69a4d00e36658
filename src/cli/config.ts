// `latchkey config`: exports, plans, and applies the configuration of a tenant, in this process on the machine of the service, or
// at a running service with an admin key.

import { StartError, systemCode } from "../kernel/start-error.ts";
import { JSON_HEADERS } from "./api-request.ts";
import { accepted, printable, readJson } from "./api-response.ts";
import { openSender, type Sender, type SenderOptions } from "./api-sender.ts";
import { type PreparedFile, prepareFile, SecretFile } from "./configuration-file.ts";
import { host } from "./host.ts";
import { formatJson, printNote, printResult } from "./output.ts";
import { readInput } from "./standard-input.ts";

export interface ConfigOptions extends SenderOptions {
	/** `--prune`: true; `--prune=all`. */
	readonly prune?: true | string;
	/** With the managers of applications. */
	readonly people?: true;
	/** The digest of a plan. */
	readonly expect?: string;
}

interface Change {
	readonly sign: "+" | "~" | "-";
	readonly kind: string;
	readonly place: string;
	readonly fields: readonly { readonly field: string; readonly from?: unknown; readonly to: unknown }[];
	readonly note?: string;
	readonly makes_secret?: boolean;
}
interface Refusal {
	readonly place: string;
	readonly code: string;
	readonly detail: string;
}
interface Plan {
	readonly digest: string;
	readonly changes: readonly Change[];
	readonly kept: readonly { readonly place: string; readonly in_use?: string }[];
	readonly not_permitted: readonly Refusal[];
}
interface Applied extends Omit<Plan, "not_permitted"> {
	readonly secrets: readonly { readonly place: string; readonly secret: string }[];
	readonly stopped?: Refusal;
}

/** The file, on standard output. */
export async function configExport(options: ConfigOptions): Promise<void> {
	await reported(async () => {
		await using sender = await openSender(options);
		const exported = await post<{ document: string }>(sender, "export", peopleOf(options));
		host().stdout.write(exported.document);
	});
}

/** Exit status 0: nothing to change; 2: changes; 1: an error, or a change that this caller may not make. */
export async function configPlan(file: string, options: ConfigOptions): Promise<void> {
	await reported(async () => {
		const { document } = await prepared(file);
		await using sender = await openSender(options);
		const plan = await post<Plan>(sender, "plan", { document, ...pruneOf(options), ...peopleOf(options) });
		printPlan(plan);
		if (plan.not_permitted.length > 0) throw notPermitted(plan);
		if (plan.changes.length > 0) host().exitCode = CHANGES;
	});
}

/** As `diff` and other tools of this kind exit. */
const CHANGES = 2;

/** Exit status 0: applied; 4: the configuration changed since the plan; 1: another error. */
export async function configApply(file: string, options: ConfigOptions): Promise<void> {
	await reported(async () => {
		const given = await prepared(file);
		await using sender = await openSender(options);
		const body = { document: given.document, ...pruneOf(options), ...peopleOf(options) };
		const plan = await post<Plan>(sender, "plan", body);
		if (plan.not_permitted.length > 0) {
			printPlan(plan);
			throw notPermitted(plan);
		}
		using secrets = openSecrets(plan, given);
		const expect = options.expect ?? plan.digest;
		const applied = await post<Applied>(sender, "apply", { ...body, expect });
		const unwritten = secrets.write(applied);
		const { secrets: _, ...shown } = applied;
		const lines = linesOf(applied);
		printResult(shown, ...(lines.length === 0 ? ["nothing to change"] : lines));
		if (unwritten !== undefined) throw unwritten;
		if (applied.stopped === undefined) return;
		const { place, code, detail } = applied.stopped;
		const isConflict = code === "config.changed" || CONFLICTS.test(code);
		throw new StartError(printable(`stopped at ${place}: ${detail}; the changes before it were applied`), {
			kind: isConflict ? "refused" : "failed",
			code,
		});
	});
}

/** Another caller created or removed it since the plan. */
const CONFLICTS = /(?:_taken|\.not_found)$/;

async function prepared(file: string): Promise<PreparedFile> {
	return prepareFile(file, (await readInput(file)).toString("utf8"), host().env);
}

function pruneOf({ prune }: ConfigOptions): { readonly prune?: "unused" | "all" } {
	if (prune === undefined) return {};
	if (prune === true || prune === "unused") return { prune: "unused" };
	if (prune === "all") return { prune: "all" };
	throw new StartError(`--prune=${prune}: must be --prune or --prune=all`);
}

function peopleOf({ people }: ConfigOptions): Pick<ConfigOptions, "people"> {
	return people === undefined ? {} : { people };
}

async function post<T>(sender: Sender, action: string, body: object): Promise<T> {
	const response = await sender.send({
		method: "POST",
		target: `/api/v1/config/${action}`,
		headers: { ...JSON_HEADERS, "content-type": "application/json" },
		body: Buffer.from(JSON.stringify(body)),
	});
	return ((await readJson(await accepted(response))) as { data: T }).data;
}

/** 2 means changes: other errors exit with 1, and a configuration that changed with 4. */
async function reported(work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (!(error instanceof StartError) || error.kind === "away" || error.kind === "failed") throw error;
		const { message, code, kind } = error;
		if (kind === "refused" && code !== "config.not_permitted" && code !== "role.required") throw error;
		throw new StartError(message, { cause: error, kind: "failed", code });
	}
}

function notPermitted({ not_permitted: refused }: Plan): StartError {
	const shown = refused.map(({ place, detail }) => `${place}: ${detail}`).join("; ");
	return new StartError(printable(`you may not make these changes: ${shown}`), {
		code: "config.not_permitted",
	});
}

function printPlan(plan: Plan): void {
	const lines = linesOf(plan);
	printResult(plan, ...(plan.changes.length === 0 ? ["nothing to change"] : []), ...lines);
}

function linesOf({ changes, kept }: Pick<Plan, "changes" | "kept">): string[] {
	const lines = changes.flatMap(({ sign, place, fields, note }) => [
		`${sign} ${place}`,
		...fields.map(({ field, from, to }) =>
			from === undefined ? `    ${field}: ${shown(to)}` : `    ${field}: ${shown(from)} → ${shown(to)}`,
		),
		...(note === undefined ? [] : [`    ${note}`]),
	]);
	const stays = kept.map(
		({ place, in_use: inUse }) => `  ${place} is not in the file, and stays${REASONS[inUse ?? ""] ?? ""}`,
	);
	return [...lines, ...stays].map(printable);
}

const REASONS: Readonly<Record<string, string>> = {
	api_clients: " (it has API clients)",
	recent_sign_in: " (users signed in within 90 days)",
};

function shown(value: unknown): string {
	return formatJson(value, true);
}

/** Where the secrets of a plan go. @throws StartError before anything changes, for a secret that would be lost */
function openSecrets(
	{ changes }: Plan,
	{ secretFiles }: PreparedFile,
): Disposable & {
	/** Writes each that it can. @returns why others could not be written */
	write(applied: Applied): StartError | undefined;
} {
	const places = changes.filter(({ makes_secret: makes }) => makes === true).map(({ place }) => place);
	const { stdout } = host();
	const lost = places.find((place) => !secretFiles.has(place) && stdout.isTTY !== true);
	if (lost !== undefined)
		throw new StartError(
			`${lost} makes a secret: name a secret_file for it, or run the command on a terminal`,
			{ code: "config.secret_output" },
		);
	const files = new Map<string, SecretFile>();
	using opened = new DisposableStack();
	for (const place of places) {
		const path = secretFiles.get(place);
		if (path !== undefined) files.set(place, opened.use(new SecretFile(path)));
	}
	const kept = opened.move();
	return {
		write({ secrets }) {
			let unwritten: StartError | undefined;
			for (const { place, secret } of secrets) {
				const file = files.get(place);
				if (file !== undefined)
					try {
						file.write(secret);
					} catch (cause) {
						const reason = `cannot be written (${systemCode(cause)}): regenerate it`;
						const message = printable(`the secret of ${place} ${reason}`);
						unwritten = new StartError(message, { cause, kind: "failed" });
					}
				else if (stdout.isTTY === true)
					stdout.write(`secret of ${printable(place)}, shown once: ${secret}\n`);
				else
					printNote(
						`the secret of ${printable(place)} was created after the plan, and is not shown: regenerate it`,
					);
			}
			return unwritten;
		},
		[Symbol.dispose]: () => kept.dispose(),
	};
}
