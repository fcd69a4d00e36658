// Searches of people, groups and applications by name.

import { call } from "../../api/client.ts";
import type { Choice } from "./choose-field.tsx";

interface Found {
	readonly choices: readonly Choice[];
	readonly total: number;
}

export async function findPeople(q: string, page_size: number, signal: AbortSignal): Promise<Found> {
	const { data, total } = await call("GET /users", { query: { q, page_size }, signal });
	const choices = data.map(({ id, username, display_name, email }) => ({
		id,
		name: display_name || username,
		detail: `${username} · ${email}`,
	}));
	return { choices, total };
}

export async function findGroups(q: string, page_size: number, signal: AbortSignal): Promise<Found> {
	const { data, total } = await call("GET /groups", { query: { q, page_size }, signal });
	return { choices: data.map(({ id, name, description }) => choiceOf(id, name, description)), total };
}

export async function findApplications(q: string, page_size: number, signal: AbortSignal): Promise<Found> {
	const { data, total } = await call("GET /applications", { query: { q, page_size }, signal });
	return { choices: data.map(({ id, name, description }) => choiceOf(id, name, description)), total };
}

function choiceOf(id: string, name: string, description: string): Choice {
	return { id, name, detail: description === "" ? undefined : description };
}
