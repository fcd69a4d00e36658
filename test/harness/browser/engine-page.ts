// A page in Firefox or WebKit, as a person uses it: by the names of fields and buttons, and by keyboard.

import { setTimeout as sleep } from "node:timers/promises";
import {
	type CommandName,
	type EngineDriver,
	type EngineName,
	type EngineOptions,
	startEngine,
} from "./engine-driver.ts";

const PATIENCE_MS = 30_000;
/** How WebDriver names an element in results. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Finds the first visible control by its accessible name: exact, or from its start. */
const FIND = `const [name] = arguments;
const texts = (element) => [
	element.getAttribute("aria-label"),
	...[...(element.labels ?? [])].map((label) => label.textContent),
	element.textContent,
	element.placeholder,
].map((text) => (text ?? "").replaceAll(/[\\u2066-\\u2069]/g, "").trim()).filter((text) => text !== "");
const open = document.querySelector("dialog[open]") ?? document;
const controls = [...open.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
	.filter((element) => element.checkVisibility() && !element.closest("[inert]"));
return controls.find((element) => texts(element).includes(name))
	?? controls.find((element) => texts(element).some((text) => text.startsWith(name))) ?? null;`;

const KEYS = { Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004", Control: "\uE009" } as const;

export interface EnginePage extends AsyncDisposable, Pick<EngineDriver, "addAuthenticator"> {
	open(url: string): Promise<void>;
	/** The value that a function body returns in the page. */
	read<T>(body: string): Promise<T>;
	/** Waits until `accepts` returns true. */
	until<T>(body: string, accepts: (value: T) => boolean): Promise<T>;
	/** Waits until the text is visible. */
	sees(text: string): Promise<void>;
	press(name: string): Promise<void>;
	type(name: string, text: string): Promise<void>;
	/** Keys of the focused element: characters and `Enter`, with `Control+` in front if held. */
	keys(...keys: readonly string[]): Promise<void>;
}

export async function openEngine(name: EngineName, options: EngineOptions): Promise<EnginePage> {
	const driver = await startEngine(name, options);
	const read = async <T>(body: string, ...args: unknown[]): Promise<T> =>
		(await driver.command("ExecuteScript", { script: body, args })) as T;
	const until = async <T>(body: string, accepts: (value: T) => boolean, ...args: unknown[]): Promise<T> => {
		const deadline = performance.now() + PATIENCE_MS;
		for (;;) {
			const value = await read<T>(body, ...args);
			if (accepts(value)) return value;
			if (performance.now() > deadline) {
				const text = await read<string>("return document.body.innerText");
				throw new Error(`not accepted in ${name}: ${body} ${args.join()}: ${JSON.stringify(value)}\n${text}`);
			}
			await sleep(50);
		}
	};
	const find = async (control: string): Promise<string> => {
		const element = await until<Record<string, string> | null>(FIND, (found) => found !== null, control);
		return element?.[ELEMENT] ?? "";
	};
	/** Finds the control again if the page has replaced it since. */
	const act = async (command: CommandName, control: string, parameters: object): Promise<void> => {
		try {
			await driver.command(command, { id: await find(control), ...parameters });
		} catch (error) {
			if (!/stale element/.test(String(error))) throw error;
			await act(command, control, parameters);
		}
	};
	await driver.command("SetWindowRect", { width: 1_440, height: 900 });
	return {
		addAuthenticator: () => driver.addAuthenticator(),
		open: async (url) => void (await driver.command("Navigate", { url })),
		read,
		until,
		sees: async (text) =>
			void (await until<boolean>(
				"return document.body.innerText.replaceAll(/[\\u2066-\\u2069]/g, '').includes(arguments[0])",
				(isShown) => isShown,
				text,
			)),
		press: (control) => act("ElementClick", control, {}),
		type: (field, text) => act("ElementSendKeys", field, { text }),
		async keys(...keys) {
			const actions = keys.flatMap((key) => {
				const held = key.startsWith("Control+") ? [KEYS.Control] : [];
				const last = key.slice(key.lastIndexOf("+") + 1);
				const pressed = [...held, KEYS[last as keyof typeof KEYS] ?? last];
				return [
					...pressed.map((value) => ({ type: "keyDown", value })),
					...pressed.toReversed().map((value) => ({ type: "keyUp", value })),
				];
			});
			await driver.command("PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
		},
		[Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
	};
}
