// Loads what a record shows about configuration: apart, because every screen of a record has it.

import { useQuery } from "../api/query.ts";
import { loadWords } from "../words/words.ts";
import type { ConfiguredProps } from "./configured-record.tsx";

/** Beside the title of a record. */
export function Configured(props: ConfiguredProps) {
	const module = useModule();
	return module === undefined ? null : <module.Configured {...props} />;
}

export function ConfiguredBranding() {
	const module = useModule();
	return module === undefined ? null : <module.ConfiguredBranding />;
}

function useModule() {
	return useQuery("configured", async () => {
		const [module] = await Promise.all([import("./configured-record.tsx"), loadWords(["console-access"])]);
		return module;
	}).data;
}
