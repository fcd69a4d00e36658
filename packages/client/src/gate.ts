// `@latchkey/client/gate`: middleware that asks the gate of an application about each request.

export {
	type Caller,
	createGate,
	type Gate,
	type GatedRequest,
	type GateOptions,
	type Refusal,
	requirePermission,
} from "./gate-decision.ts";
export { expressGate, fastifyGate } from "./gate-node.ts";
export { honoGate, type Origin, withGate } from "./gate-web.ts";
export { permits } from "./permits.ts";
