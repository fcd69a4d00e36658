import { format } from "../format.ts";
import type en from "./en.ts";

export default {
	application: "应用",
	newApplication: "新建应用，以项目名称命名",
	existingApplication: "选择现有应用",
	findApplication: "按名称查找应用",
	noApplication: "没有匹配的启用中的应用。",
	moreApplications: (count: number) => `还有 ${format.number(count)} 个，请输入更多字符。`,
	scopes: "权限范围",
	noScopes: "未选择任何范围时，客户端只能调用 whoami。",
	scopeNames: {
		"users:read": "读取用户",
		"access:check": "检查对本应用的访问权限",
		"third-party:read": "按关联账号查找用户",
		"access:check:tenant": "检查对所有应用的访问权限",
		"sign-in:relay": "由其服务器代用户登录",
	},
	scopeHints: {
		"users:read": "按 ID 读取用户的姓名、电子邮箱和状态",
		"access:check": "用户能否使用该客户端所属的应用，以及拥有哪些权限",
		"third-party:read": "查找关联了某个登录提供方账号的用户",
		"access:check:tenant": "同上，适用于租户的所有应用",
		"sign-in:relay": "其服务器转交密码，并注明用户的 IP 地址",
	},
	allowlist: "允许的来源地址",
	allowlistHint: "IP 地址或 CIDR 网段，每行一个，最多 100 个。留空表示不限制。",
	covered: "各条目覆盖的范围",
	checked: (count: number, invalid: number) =>
		`共 ${format.number(count)} 条，${invalid === 0 ? "全部有效" : `${format.number(invalid)} 条无效`}`,
	addresses: (freeBits: number) =>
		freeBits > 53 ? `2^${freeBits} 个地址` : `${format.number(2 ** freeBits)} 个地址`,
	coveredBy: (entry: string) => `已包含在 ${entry} 中`,
	everyAddress: "包含该版本的所有地址",
	tooManyEntries: (count: number) => `最多 100 条，当前为 ${format.number(count)} 条。`,
	problems: {
		hostBits: (range: string) => `主机位不为零，对应的网段是 ${range}。`,
		prefix: (least: number, most: number) => `前缀长度无效，应为 /${least} 到 /${most}。`,
		leadingZero: "某一段含有前导零。",
		zone: "区域标识在其他机器上没有意义。",
		noAddress: "这不是 IPv4 或 IPv6 地址，也不是 CIDR 网段。",
	},
	expiry: "到期时间",
	never: "永不过期",
	afterDays: (days: number) => (days === 365 ? "一年后" : `${format.number(days)} 天后`),
	onDay: "指定日期",
	until: (date: string) => `有效期至 ${date} 结束。`,
	lastDay: "最后一天",
	lastDayHint: "有效期至该日结束，以此浏览器的时区为准。",
} satisfies typeof en;
