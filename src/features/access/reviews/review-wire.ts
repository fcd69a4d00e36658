// The wire forms of reviews and their items.

import {
	type FoundAccess,
	flagsOf,
	ITEM_DECISIONS,
	ITEM_STATES,
	type NamedItem,
	PARTNER_ANSWERS,
	REVIEW_FLAGS,
	REVIEW_STATUSES,
	REVIEW_SUBJECTS,
	type Review,
	type ReviewedAccess,
	SOURCE_KINDS,
} from "../../../domain/review.ts";
import {
	boolean,
	choice,
	type Infer,
	integer,
	list,
	nullable,
	object,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { versionOf } from "./create-review.ts";

const id = () => plain({ format: "uuid" });

export const reviewSchema = object(
	{
		id: id(),
		name: plain(),
		subject: choice(REVIEW_SUBJECTS),
		app_id: nullable(plain({ format: "uuid", description: "Only access to this application." })),
		group_id: nullable(plain({ format: "uuid", description: "The memberships of this group." })),
		status: choice(REVIEW_STATUSES, {
			description: "`closing`: decisions are refused, and what ends is being ended.",
		}),
		unanswered: choice(ITEM_DECISIONS, {
			description: "What happens at the end to items without a decision.",
		}),
		reviewers: nullable(
			plain({ format: "uuid", description: "The group that decides; null for the administrators." }),
		),
		due_at: time(),
		total: integer("The number of items."),
		kept: integer(),
		ended: integer(),
		open: integer(),
		created_by: nullable(id()),
		closed_at: nullable(time()),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "Review" },
);
const toWireFields = toWire(reviewSchema);

export function toWireReview(review: Review): Infer<typeof reviewSchema> {
	const { status, total, kept, ended } = review;
	if (status === "preparing") throw new Error("a review was read before it was opened");
	return toWireFields({ ...review, status, open: total - kept - ended });
}

const sourceSchema = object({
	kind: choice(SOURCE_KINDS, {
		description: "`group`: a membership. `program_grant`: the grant of an application that acts for itself.",
	}),
	id: plain({
		format: "uuid",
		description: "Of the grant, the group, the user, the API client, the application, or the admin key.",
	}),
	name: plain('Of the group; empty (`""`) for others.'),
	app_name: plain('Empty (`""`) without an application.'),
	roles: list(plain()),
	request_id: nullable(plain({ format: "uuid", description: "The request that it was created for." })),
	granted_by: nullable(plain({ format: "uuid", description: "The user who gave it; null if none did." })),
	expires_at: nullable(time()),
	created_at: time(),
	other_apps: list(plain({ examples: ["Payroll"] }), {
		description:
			"Of a membership: names of other applications that its group gives access to, at most 20. `end` takes them away, too.",
	}),
});

const accessFields = {
	roles: list(plain(), { description: "Names of all roles, those of groups included, sorted." }),
	permissions: list(plain(), { description: "The permissions of these roles, sorted; at most 1,000." }),
	scopes: list(plain(), {
		description: "Of an API client: its scopes. Of a program: the resources for which it gets tokens.",
	}),
	sources: list(sourceSchema, {
		description: "What gives the subject its access, and what `end` takes away.",
	}),
};
const currentSchema = object(accessFields);

const SUBJECT_KINDS = ["user", "api_client", "program", "admin_key"] as const;
const KIND_OF = {
	people: "user",
	partners: "api_client",
	programs: "program",
	admin_keys: "admin_key",
} as const;

export const reviewItemSchema = object(
	{
		id: id(),
		review_id: id(),
		subject_kind: choice(SUBJECT_KINDS),
		subject_id: id(),
		subject_name: plain('Username, or another name. Empty (`""`) for a user who was deleted.'),
		display_name: plain('Of a user; empty (`""`) for others.'),
		app_id: nullable(id()),
		app_name: plain(),
		...accessFields,
		request_id: nullable(plain({ format: "uuid", description: "Of the first source." })),
		granted_by: nullable(plain({ format: "uuid", description: "Of the first source." })),
		last_used_at: nullable(time()),
		created_at: time("When the subject got this access."),
		flags: list(choice(REVIEW_FLAGS), {
			description:
				"`owner_left`: the user is disabled, or who created the client, the program, or the key is no active user. `reviewer_is_subject`: an administrator decides.",
		}),
		state: choice(ITEM_STATES),
		decision: nullable(choice(ITEM_DECISIONS)),
		note: plain(),
		decided_by: nullable(plain({ format: "uuid", description: "Null if no user decided." })),
		decided_by_name: nullable(plain()),
		decided_for: nullable(
			plain({
				format: "uuid",
				description: "The reviewer whom the item is about, in whose place an administrator decided.",
			}),
		),
		decided_at: nullable(time()),
		audit_id: nullable(plain({ format: "uuid", description: "The audit event of the decision." })),
		ended_at: nullable(time("When an ended item lost what it names.")),
		failure: plain({
			description: 'Why the service could not end it, such as `user.last_admin`; empty (`""`) if it could.',
			examples: [""],
		}),
		partner_answer: nullable(choice(PARTNER_ANSWERS)),
		partner_reason: plain(),
		partner_answered_at: nullable(time()),
		changed: boolean("Whether what the subject may do changed since the review began."),
		current: nullable(currentSchema),
		version: plain("Of what the subject may do now. Send it to keep a changed item."),
	},
	{ title: "ReviewItem" },
);
const toWireItemFields = toWire(reviewItemSchema);
const DECISION_OF = { open: null, kept: "keep", ended: "end" } as const;

/** @param live what the subject may do now; null for a review that is over, whose items are as they were decided. */
export function toWireItem(
	review: Review,
	item: NamedItem,
	live: { readonly access: FoundAccess | undefined } | null,
	isOfReviewer: boolean,
): Infer<typeof reviewItemSchema> {
	const version = live === null ? item.version : versionOf(live.access);
	const changed = version !== item.version;
	const [source] = item.sources;
	return toWireItemFields({
		...item,
		...toWireAccess(item),
		subjectKind: KIND_OF[review.subject],
		requestId: source?.requestId ?? null,
		grantedBy: source?.grantedBy ?? null,
		flags: flagsOf(item, isOfReviewer),
		decision: DECISION_OF[item.state],
		endedAtMs: item.failure === "" ? item.appliedAtMs : null,
		changed,
		current: changed ? toWireAccess(live?.access ?? NOTHING) : null,
		version,
	});
}

const NOTHING: ReviewedAccess = { roles: [], permissions: [], scopes: [], sources: [] };
const toWireSource = toWire(sourceSchema);

function toWireAccess({ roles, permissions, scopes, sources }: ReviewedAccess): Infer<typeof currentSchema> {
	return {
		roles: [...roles],
		permissions: [...permissions],
		scopes: [...scopes],
		sources: sources.map((source) => toWireSource(source)),
	};
}
