// What a developer starts from when connecting an application: a framework of the guide, or a kind of program.

import type { Schemas } from "../../api/routes.ts";
import { application, globe, type IconShape, phone, robot, server } from "../../ui/icons.ts";
import { markOf } from "./framework-marks.ts";
import { FRAMEWORKS, type Framework } from "./frameworks.ts";

const OTHER_WAYS = ["server", "spa", "native", "service"] as const;
export type OtherWay = (typeof OTHER_WAYS)[number];
export type Way = (typeof FRAMEWORKS)[number]["key"] | OtherWay;

const ICONS: Readonly<Record<OtherWay, IconShape>> = {
	server,
	spa: globe,
	native: phone,
	service: robot,
};

interface ShownWay {
	readonly key: Way;
	readonly icon: IconShape;
	readonly mark?: string | undefined;
	readonly title: string;
	readonly text: string;
}

export interface WayWords {
	readonly wayTitles: Readonly<Record<OtherWay, string>>;
	readonly wayTexts: Readonly<Record<OtherWay, string>>;
}

/** In the order in which they are shown: frameworks have code of their own. */
export function shownWays({ wayTitles, wayTexts }: WayWords): readonly ShownWay[] {
	return [
		...FRAMEWORKS.map(({ key, label, text }) => ({
			key,
			icon: application,
			mark: markOf(key),
			title: label,
			text,
		})),
		...OTHER_WAYS.map((key) => ({ key, icon: ICONS[key], title: wayTitles[key], text: wayTexts[key] })),
	];
}

export function frameworkOf(way: Way | undefined): Framework | undefined {
	return FRAMEWORKS.find(({ key }) => key === way);
}

/** The type of the OAuth client. */
export function clientTypeOf(way: Way): Schemas["OAuthClient"]["type"] {
	return way === "spa" || way === "native" || way === "service" ? way : "web";
}
