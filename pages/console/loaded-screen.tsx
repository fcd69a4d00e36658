// A screen whose code and words are loaded when it is opened for the first time.

import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Failed, FailureBoundary } from "../ui/failure-boundary.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { loadWords } from "../words/words.ts";
import { readings } from "./read-again.ts";
import type { ScreenProps } from "./screen-props.ts";
import type { ConsoleScreen } from "./screens.ts";
import { findScreen } from "./screens.ts";

/** By path, or by the shared name. */
const loaded = new Map<string, ComponentType<ScreenProps>>();
/** The first screen of a document does not move the focus. */
let isFirstScreen = true;

export function LoadedScreen({ screen, params }: { readonly screen: ConsoleScreen } & ScreenProps) {
	const [, setReady] = useState(false);
	const [hasFailed, setFailed] = useState(false);
	const place = useRef<HTMLDivElement>(null);
	const Screen = loaded.get(keyOf(screen));
	useEffect(() => {
		if (Screen !== undefined) return;
		loadScreen(screen).then(
			() => setReady(true),
			(error: unknown) => {
				reportError(error);
				setFailed(true);
			},
		);
	}, [screen, Screen]);
	const isReady = Screen !== undefined;
	useEffect(() => {
		if (!isReady) return;
		if (!isFirstScreen) {
			scrollTo(0, 0);
			place.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
		}
		isFirstScreen = false;
	}, [isReady]);
	// After an upgrade, the files of an open page are gone; reloading gets the new ones.
	if (hasFailed) return <Failed />;
	return (
		<div ref={place}>
			<FailureBoundary>
				{Screen === undefined ? <Skeleton lines={8} /> : <Screen key={readings.value} params={params} />}
			</FailureBoundary>
		</div>
	);
}

/** Preloads the screen of a path, before it is known whether the user may open it. */
export function preloadScreen(path: string): void {
	const found = findScreen(path);
	// A failure is retried, and shown, when the screen opens.
	if (found !== undefined) loadScreen(found.screen).catch(reportError);
}

function keyOf({ shared, path }: ConsoleScreen): string {
	return shared ?? path;
}

async function loadScreen(screen: ConsoleScreen): Promise<void> {
	const [component] = await Promise.all([screen.load(), loadWords(screen.words)]);
	loaded.set(keyOf(screen), component);
}
