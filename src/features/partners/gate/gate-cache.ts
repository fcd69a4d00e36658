// Parsed rules of gates, keyed by the stored text, so that a changed row always misses the cache.

import { CALLER_KINDS, type CallerKind } from "../../../domain/gate.ts";
import { areGateRules, type PlacedRules, placeRules } from "../../../domain/gate-rule.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import { parseJson } from "../../../kernel/shape.ts";

const CACHED_GATES = 1_000;

export interface GateCache {
	rules(json: string): PlacedRules;
	/** @param list kinds, joined by commas */
	accept(list: string): readonly CallerKind[];
}

export function createGateCache(): GateCache {
	const known = new RecentMap<PlacedRules>(CACHED_GATES);
	return {
		rules(json) {
			let rules = known.find(json);
			if (rules === undefined) {
				rules = placeRules(parseJson(areGateRules, json));
				known.set(json, rules);
			}
			return rules;
		},
		accept(list) {
			const kinds = list.split(",");
			return CALLER_KINDS.filter((kind) => kinds.includes(kind));
		},
	};
}
