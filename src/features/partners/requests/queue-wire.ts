// The wire forms of each kind of request, and which fields an approval of it takes.

import { REVIEW_NOTE_MAX, type RequestKind, type Reviewed } from "../../../domain/request.ts";
import type { RequestOf, ReviewedRequest } from "../../../domain/request-queue.ts";
import {
	allOf,
	anyOf,
	type Infer,
	multilineText,
	nullable,
	object,
	type ObjectSchema,
	optional,
	timeInput,
} from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { invalidField } from "../../../kernel/error.ts";
import { toAudiences } from "../../access/oauth-clients/assertion-audience-wire.ts";
import {
	clientSettingsBody,
	partnerRequestSchema,
	reviewedRequestSchema,
	toWireReviewed,
	toWireWithKeys,
} from "../access-requests/access-request-wire.ts";
import {
	personRequestSchema,
	personSettingsBody,
	toWirePersonRequest,
} from "../person-requests/person-request-wire.ts";
import {
	listedRequestSchema,
	programRequestSchema,
	programSettingsBody,
	showProgramRequest,
	toWireListedRequest,
} from "../programs/program-request-wire.ts";
import type { RequestStores, SettingsOf } from "./request-rules.ts";

const expiryBody = object({
	expires_at: optional(nullable(timeInput("When the API client or the program expires; null means never."))),
});
const noteBody = object({
	review_note: optional(
		multilineText({ min: 0, max: REVIEW_NOTE_MAX, description: "Included in the mail of the decision." }),
	),
});

const partnerBody = allOf(clientSettingsBody, expiryBody);
const programBody = allOf(programSettingsBody, expiryBody);
export const approveBody = allOf(noteBody, allOf(allOf(partnerBody, programBody), personSettingsBody));
type ApproveBody = Infer<typeof approveBody>;

export const listedSchema = anyOf([reviewedRequestSchema, listedRequestSchema, personRequestSchema]);
export const shownSchema = anyOf([partnerRequestSchema, programRequestSchema, personRequestSchema]);

interface KindWire<K extends RequestKind> {
	/** The fields of an approval that this kind takes, beside the note. */
	readonly settings: ObjectSchema<unknown>;
	toSettings(body: ApproveBody): SettingsOf[K];
	list(request: RequestOf[K] & Reviewed): Infer<typeof listedSchema>;
	show(stores: RequestStores, request: RequestOf[K] & Reviewed): Promise<Infer<typeof shownSchema>>;
}

const toClientSettings = fromWire(partnerBody);
const toProgramApproval = fromWire(programBody);

/** The only place of the endpoints that knows every kind. */
const KINDS: { readonly [K in RequestKind]: KindWire<K> } = {
	partner: {
		settings: partnerBody,
		toSettings: (body) => ({ ipAllowlist: [], expiresAtMs: null, ...toClientSettings(body) }),
		list: toWireReviewed,
		async show({ apiClients }, request) {
			const { tenantId, resultId } = request;
			const client = resultId === null ? undefined : await apiClients.findById(tenantId, resultId);
			return toWireWithKeys(request, client?.publicKeys ?? []);
		},
	},
	program: {
		settings: programBody,
		toSettings(body) {
			const { allowedResources, assertionAudiences: _, ...settings } = toProgramApproval(body);
			const assertionAudiences = toAudiences(body.assertion_audiences);
			if (allowedResources === undefined) throw invalidField("allowed_resources", "required");
			return { allowedResources, ...settings, ...(assertionAudiences && { assertionAudiences }) };
		},
		list: toWireListedRequest,
		show: showProgramRequest,
	},
	person: {
		settings: personSettingsBody,
		toSettings: fromWire(personSettingsBody),
		list: toWirePersonRequest,
		show: async (_stores, request) => toWirePersonRequest(request),
	},
};

/** @throws AppError `request.invalid` for a field of another kind, and for an absent field that the kind needs. */
export function settingsOf<K extends RequestKind>(kind: K, body: ApproveBody): SettingsOf[K] {
	const wire: KindWire<K> = KINDS[kind];
	for (const [other, { settings }] of Object.entries(KINDS))
		for (const field of Object.keys(settings.properties))
			if (!Object.hasOwn(wire.settings.properties, field) && Object.hasOwn(body, field))
				throw invalidField(field, "other_kind", { kind: other });
	return wire.toSettings(body);
}

export function toWireListed(request: ReviewedRequest): Infer<typeof listedSchema> {
	const list = <K extends RequestKind>(kind: K, one: RequestOf[K] & Reviewed) => {
		const wire: KindWire<K> = KINDS[kind];
		return wire.list(one);
	};
	return list(request.kind, request);
}

export function toWireShown(
	stores: RequestStores,
	request: ReviewedRequest,
): Promise<Infer<typeof shownSchema>> {
	const show = <K extends RequestKind>(kind: K, one: RequestOf[K] & Reviewed) => {
		const wire: KindWire<K> = KINDS[kind];
		return wire.show(stores, one);
	};
	return show(request.kind, request);
}
