// Reduces the SBOM of `npm sbom` to the packages that the service runs with. `npm sbom --omit=dev` lacks those that a package
// for development needs, too: 61 of 162 when this was written.

interface Component {
	readonly "bom-ref": string;
	readonly name: string;
	readonly version: string;
	readonly properties: readonly { readonly name: string }[];
}

interface Sbom {
	readonly metadata: { readonly component: Component };
	readonly components: readonly Component[];
	readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Lock {
	readonly packages: Readonly<
		Record<string, { readonly name?: string; readonly version?: string; readonly dev?: boolean }>
	>;
}

/**
 * @param text a CycloneDX document of all packages.
 * @param lockText package-lock.json, which says what is only for development.
 * @throws Error if the document lacks a package.
 */
export function productionSbom(text: string, lockText: string): string {
	const sbom: Sbom = JSON.parse(text);
	const lock: Lock = JSON.parse(lockText);
	const wanted = new Set(
		Object.entries(lock.packages)
			.filter(([path, { dev = false }]) => path !== "" && !dev)
			.map(([path, { name = path.split("node_modules/").at(-1), version }]) => `${name}@${version}`),
	);
	const kept = sbom.components.filter(({ name, version }) => wanted.delete(`${name}@${version}`));
	if (wanted.size > 0) throw new Error(`the SBOM lacks ${[...wanted].join(", ")}`);
	const { component } = sbom.metadata;
	const refs = new Set([component["bom-ref"], ...kept.map((each) => each["bom-ref"])]);
	const reduced = {
		...sbom,
		// npm takes the name from the folder.
		metadata: { ...sbom.metadata, component: { ...component, name: lock.packages[""]?.name } },
		// A package may be for development in one place and not in another; npm lists it once.
		components: kept.map((each) => ({
			...each,
			properties: each.properties.filter(({ name }) => name !== "cdx:npm:package:development"),
		})),
		dependencies: sbom.dependencies
			.filter(({ ref }) => refs.has(ref))
			.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
	};
	return `${JSON.stringify(reduced, null, "\t")}\n`;
}
