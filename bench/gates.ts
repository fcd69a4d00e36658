// Scenarios that ask a gate, each against a request with the same kind of proof: a signature, a session, and a token.

import {
	addPartner,
	type Gated,
	issuePersonTokens,
	issueProgramTokens,
	putGate,
	signInAtApplication,
	signInPeople,
} from "./gate-callers.ts";
import { type Bench, loader, type Scenario } from "./measure.ts";
import type { Plan } from "./requests.ts";
import { type Compared, compare } from "./rounds.ts";

/** The part of these scenarios. */
const NAME = "gate";
const ORIGIN = "https://orders.company.example";

export const GATE_SCENARIOS: readonly Scenario[] = [
	{
		name: NAME,
		title: "GET /gate/{application_id}, signed",
		comparedWith: "signed GET /api/v1/external/whoami",
		goal: undefined,
		processorGoal: 1.15,
		async run(bench) {
			const gated = await putGate(bench.service);
			const credentials = await addPartner(gated);
			const asked: Plan = { kind: "gate-signed", gate: gated.gate, credentials };
			return await against(bench, asked, { kind: "whoami", credentials });
		},
	},
	{
		name: "signed-key",
		title: "GET /gate/{application_id}, signed with an Ed25519 key",
		comparedWith: "the same, signed with a Secret",
		goal: undefined,
		processorGoal: 2.5,
		async run(bench) {
			const gated = await putGate(bench.service);
			const asked = async (proof: "Secret" | "key"): Promise<Plan> => {
				const credentials = await addPartner(gated, proof);
				return { kind: "gate-signed", gate: gated.gate, credentials };
			};
			return await against(bench, await asked("key"), await asked("Secret"));
		},
	},
	againstReads("session cookie", async (gated, { population }) =>
		(await signInPeople(gated, population.people)).map(asCookie),
	),
	againstReads("session cookie of a host of its own", async (gated, { population }) =>
		(await signInAtApplication(gated, ORIGIN, population.people)).map(asCookie),
	),
	againstReads("token of a person", async (gated, { population }) =>
		(await issuePersonTokens(gated, population.people)).map(asBearer),
	),
	againstReads("token of a program", async (gated) => (await issueProgramTokens(gated)).map(asBearer)),
];

type Proof = Readonly<Record<string, string>>;

const asCookie = (Cookie: string): Proof => ({ Cookie });
const asBearer = (token: string): Proof => ({ Authorization: `Bearer ${token}` });

function againstReads(
	proof: string,
	prove: (gated: Gated, bench: Bench) => Promise<readonly Proof[]>,
): Scenario {
	return {
		name: NAME,
		title: `The same, ${proof}`,
		comparedWith: "GET /api/v1/users/me",
		goal: undefined,
		processorGoal: 2,
		async run(bench) {
			const gated = await putGate(bench.service);
			const proofs = await prove(gated, bench);
			const reads: Plan = { kind: "me", tokens: bench.population.tokens };
			return await against(bench, { kind: "gate", gate: gated.gate, proofs }, reads);
		},
	};
}

async function against(bench: Bench, asked: Plan, comparison: Plan): Promise<Compared> {
	const { service, rounds } = bench;
	return await compare(rounds, loader(bench, asked, service), loader(bench, comparison, service));
}
