// What a session was started with: a browser, or a program that called the API. Without imports of the page, so that tests can
// load it.

interface Device {
	/** In English, by the API. */
	readonly device: string;
	readonly device_client: string | null;
	readonly device_system: string | null;
	readonly user_agent: string;
}

export function nameDevice({ device, device_client: client, device_system: system, user_agent }: Device) {
	if (isBrowser(user_agent)) return device;
	return client === null && system === null ? "API call" : `API call from ${device}`;
}

export function nameDeviceInChinese({ device_client: client, device_system: system, user_agent }: Device) {
	const known = client !== null && system !== null ? `${system} 上的 ${client}` : (client ?? system);
	if (isBrowser(user_agent)) return known ?? "未知设备";
	return known === null ? "API 调用" : `API 调用（${known}）`;
}

/** Every browser calls itself Mozilla; programs send their own name, or none. */
function isBrowser(userAgent: string): boolean {
	return userAgent.startsWith("Mozilla/");
}
