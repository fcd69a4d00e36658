// The name of a device in Chinese. Without imports of the page, so that tests can load it.

interface Device {
	readonly device_client: string | null;
	readonly device_system: string | null;
}

export function nameDevice({ device_client: client, device_system: system }: Device): string {
	return client !== null && system !== null ? `${system} 上的 ${client}` : (client ?? system ?? "未知设备");
}
