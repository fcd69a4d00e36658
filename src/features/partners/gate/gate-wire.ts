// The wire form of gates and their rules.

import { PERMISSION_MAX } from "../../../domain/application-role.ts";
import {
	BROWSER_ORIGIN_MAX,
	CALLER_KINDS,
	CORS_ORIGINS_MAX,
	type Gate,
	type GateSettings,
} from "../../../domain/gate.ts";
import {
	GATE_RULES_MAX,
	type GateRule,
	METHOD_MAX,
	RULE_METHODS_MAX,
	RULE_PATH_MAX,
} from "../../../domain/gate-rule.ts";
import {
	boolean,
	choice,
	type Infer,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
	time,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";

const rule = {
	methods: optional(
		list(text({ max: METHOD_MAX }), {
			min: 1,
			max: RULE_METHODS_MAX,
			unique: true,
			description: "In upper case; a rule for `GET` covers `HEAD`. Default: all methods.",
			examples: [["GET"]],
		}),
	),
	path: text({
		max: RULE_PATH_MAX,
		description:
			"Segments of `A-Z a-z 0-9 . _ ~ -`. `{name}` matches any one segment; `*` as the last segment matches the folder and everything below it.",
		examples: ["/orders/*"],
	}),
	needs: text({
		max: PERMISSION_MAX,
		description:
			"`public`; `signed-in` for any recognized caller who may use the application; or a permission that a role of the application holds, such as `orders:read`.",
		examples: ["orders:read"],
	}),
	mfa: optional(boolean("Whether people must have signed in with a second factor. Default false.")),
	test: optional(boolean("Whether test clients pass. Default false.")),
};
const ruleSchema = object(rule, { title: "GateRule" });

/** Titled, so that the document describes it once for PUT and for drafts. */
export const gateBody = object(
	{
		rules: list(ruleSchema, {
			max: GATE_RULES_MAX,
			description: "The first rule that matches decides. Without a matching rule, the gate refuses.",
		}),
		accept: optional(
			list(choice(CALLER_KINDS), {
				unique: true,
				max: CALLER_KINDS.length,
				description: "The kinds of callers that pass. Default: all.",
			}),
		),
		browser_origin: optional(
			nullable(
				text({
					max: BROWSER_ORIGIN_MAX,
					description:
						"The https origin of the application, if it has another host than this service and people sign in there with a browser.",
					examples: ["https://shop.example"],
				}),
			),
		),
		statement: optional(
			boolean("Whether responses contain a signed statement, `Latchkey-Statement`. Default false."),
		),
		own_tokens: optional(
			boolean(
				"Whether the application has tokens of its own: then `Authorization` and `DPoP` prove nothing to the gate, `accept` has no `program`, and a token of this service in `Authorization` is refused. Default false.",
			),
		),
		cors_origins: optional(
			list(text({ max: BROWSER_ORIGIN_MAX, examples: ["https://app.example"] }), {
				unique: true,
				max: CORS_ORIGINS_MAX,
				description:
					"The https origins whose pages may read responses (CORS). The gate lets their preflights pass. Default: none.",
			}),
		),
	},
	{ title: "PutGateBody" },
);
const toBody = fromWire(gateBody);

/** Absent fields get their defaults. */
export function toSettings(body: Infer<typeof gateBody>): GateSettings {
	const { rules, accept = CALLER_KINDS, browserOrigin = null } = toBody(body);
	const { statement = false, own_tokens: ownTokens = false, cors_origins: corsOrigins = [] } = body;
	const kinds = CALLER_KINDS.filter((kind) => accept.includes(kind) && !(ownTokens && kind === "program"));
	return { rules, accept: kinds, browserOrigin, statement, ownTokens, corsOrigins };
}

const fields = {
	application_id: plain({ format: "uuid" }),
	rules: list(ruleSchema),
	accept: list(choice(CALLER_KINDS)),
	browser_origin: nullable(plain({ examples: ["https://shop.example"] })),
	statement: boolean(),
	own_tokens: boolean(),
	cors_origins: list(plain({ examples: ["https://app.example"] })),
	key_hint: plain("Last four characters of the key."),
	previous_key_expires_at: nullable(
		time("The previous key is valid until then; null if it became invalid immediately."),
	),
	created_at: time(),
	updated_at: time(),
};
export const gateSchema = object(fields, { title: "Gate" });
/** The response of put and regenerate. */
export const gateWithKeySchema = object(
	{
		...fields,
		gate_key: optional(
			plain({
				description: "The value of `X-Gate-Key`. Returned only in the response that creates it.",
				examples: ["gk_0mW7Zq2xT5vB9kN1cR8sYd4LfP6hJ3gEaQ-uIoXtVbM"],
			}),
		),
	},
	{ title: "GateWithKey" },
);

const toWireForm = toWire(gateSchema);

export function toWireGate({ rules, ...gate }: Gate): Infer<typeof gateSchema> {
	return toWireForm({ ...gate, rules: rules.map(toWireRule) });
}

/** As it was put. */
function toWireRule({ methods, path, needs, mfa, test }: GateRule): Infer<typeof ruleSchema> {
	return {
		...(methods !== undefined && { methods: [...methods] }),
		path,
		needs,
		...(mfa !== undefined && { mfa }),
		...(test !== undefined && { test }),
	};
}

/** @param keyPlain undefined if no key was created */
export function toWireWithKey(gate: Gate, keyPlain: string | undefined): Infer<typeof gateWithKeySchema> {
	return { ...toWireGate(gate), ...(keyPlain !== undefined && { gate_key: keyPlain }) };
}
