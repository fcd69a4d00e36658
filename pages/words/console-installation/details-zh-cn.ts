// What the doctor finds (`src/ops/doctor/`), by the form of its text, in Chinese.

import type { TextForms } from "../text-forms.ts";

export const DETAILS: TextForms = [
	[/^v(\S+)$/, "v$1"],
	[
		/^v(\S+) is too old: (\d+) or later is needed; npm start brings its own$/,
		"v$1 过旧：需要 $2 或更高版本；npm start 自带合适的版本",
	],
	[
		/^(\d+) MB free at (.+): writes will soon be refused, make room$/,
		"$2 剩余 $1 MB：即将无法写入，请释放空间",
	],
	[/^(\d+) MB free at (.+): make room$/, "$2 剩余 $1 MB：请释放空间"],
	[/^(\d+) MB free at (.+)$/, "$2 剩余 $1 MB"],
	[/^(.+) will be made by the first start$/, "$1 将在首次启动时创建"],
	[
		/^(.+) is in use by a running latchkey, and open to other users \(mode (\d+)\): close it with chmod 700$/,
		"$1 正由运行中的 latchkey 使用，且对其他用户开放（权限 $2）：请用 chmod 700 收回",
	],
	[
		/^(.+) is not in use, and open to other users \(mode (\d+)\): close it with chmod 700$/,
		"$1 未在使用，且对其他用户开放（权限 $2）：请用 chmod 700 收回",
	],
	[/^(.+) is in use by a running latchkey$/, "$1 正由运行中的 latchkey 使用"],
	[/^(.+) is not in use$/, "$1 未在使用"],
	[/^is configured$/, "已配置"],
	[/^(.+); is it in your backups\?$/, "$1；请确认它已包含在备份中"],
	[/^the server answers$/, "数据库服务器有响应"],
	[/^(.+) is whole$/, "$1 完好"],
	[/^(.+) is damaged \((.+)\): restore a backup$/, "$1 已损坏（$2）：请从备份恢复"],
	[/^version (\d+)$/, "版本 $1"],
	[
		/^version (\d+) is newer than this version of latchkey supports \((\d+)\): use the newer version$/,
		"版本 $1 比本程序支持的（$2）更新：请使用更新的 latchkey",
	],
	[
		/^version (\d+) is older than (\d+): the next start or latchkey migrate updates it$/,
		"版本 $1 低于 $2：下次启动或执行 latchkey migrate 时更新",
	],
	[
		/^some are sealed with another master key than the first: run latchkey rekey$/,
		"部分数据由其他主密钥封装：请执行 latchkey rekey",
	],
	[/^none stored yet$/, "尚未存储"],
	[/^the master key opens them$/, "主密钥可以解封"],
	[/^(.+): give the right master key$/, "$1：请提供正确的主密钥"],
	[/^it is not (\S+): set the clock$/, "现在不是 $1：请校准时钟"],
	[/^it is (\S+), but records go up to (\S+): set the clock$/, "现在是 $1，但已有 $2 的记录：请校准时钟"],
	[/^(\d{4}-\S+Z)$/, "$1"],
	[/^a self-signed one will be made by the first start$/, "首次启动时将生成自签名证书"],
	[
		/^(.+), valid to (\S+); self-signed: name one that others trust with LATCHKEY_TLS_CERT$/,
		"$1，有效期至 $2；自签名：请用 LATCHKEY_TLS_CERT 指定受信任的证书",
	],
	[
		/^(.+), valid to (\S+), does not name (\S+) \(LATCHKEY_PUBLIC_URL\): clients will refuse it$/,
		"$1，有效期至 $2，不包含 $3（LATCHKEY_PUBLIC_URL）：客户端会拒绝",
	],
	[/^(.+), valid to (\S+): replace it soon$/, "$1，有效期至 $2：请尽快更换"],
	[/^(.+), valid to (\S+)$/, "$1，有效期至 $2"],
	[
		/^(.+) leads others nowhere: set LATCHKEY_PUBLIC_URL to what people type$/,
		"其他人无法通过 $1 访问：请将 LATCHKEY_PUBLIC_URL 设为用户访问的地址",
	],
	[/^(.+): replace it$/, "$1：请更换"],
	[/^are understood$/, "可以识别"],
	[/^(.+) does not exist yet; start the service once first$/, "$1 尚不存在：请先启动一次服务"],
	[
		/^(.+) does not exist yet; start the service once first, or name the installation with (.+)$/,
		"$1 尚不存在：请先启动一次服务，或用 $2 指明安装位置",
	],
	[
		/^the database is empty yet; start the service once first(?:, or name .+)?$/,
		"数据库是空的：请先启动一次服务",
	],
	[/^(.+) cannot be used: (.+)$/, "$1 无法使用：$2"],
	[
		/^(.+) cannot be read \((.+)\); run this as the service's user$/,
		"$1 无法读取（$2）：请以服务的用户身份运行",
	],
	[
		/^(.+) has schema (\d+), this version of latchkey supports up to (\d+); use the newer version$/,
		"$1 的结构版本为 $2，本程序最高支持 $3：请使用更新的 latchkey",
	],
	[/^is free$/, "空闲"],
	[/^is in use, as it is while the service runs$/, "已占用，服务运行时正是如此"],
	[/^latchkey (\S+) answers, but its health is "(.+)"$/, "latchkey $1 有响应，但健康状态为“$2”"],
	[
		/^latchkey (\S+) answers; this is (\S+): restart it$/,
		"latchkey $1 有响应；当前程序为 $2：请重新启动服务",
	],
	[/^latchkey (\S+) answers$/, "latchkey $1 有响应"],
	[/^(.+): stop that, or choose another port$/, "$1：请停止该程序或更换端口"],
	[
		/^is not set: each process counts requests for itself; set LATCHKEY_REDIS_URL for several nodes$/,
		"未设置：各进程分别计数请求；多节点部署请设置 LATCHKEY_REDIS_URL",
	],
	[/^is not set: each process counts requests for itself$/, "未设置：各进程分别计数请求"],
	[
		/^(.+) does not count for us \((.+)\): see LATCHKEY_REDIS_URL$/,
		"$1 无法计数（$2）：请检查 LATCHKEY_REDIS_URL",
	],
	[/^(.+) counts for us, in (\d+) ms$/, "$1 计数正常，耗时 $2 毫秒"],
	[/^becomes files in (.+): set LATCHKEY_SMTP_URL$/, "邮件保存为 $1 中的文件：请设置 LATCHKEY_SMTP_URL"],
	[/^becomes files in (.+)$/, "邮件保存为 $1 中的文件"],
	[/^the mail server takes us$/, "邮件服务器连接正常"],
	[
		/^the mail server does not take us \((.+)\): see LATCHKEY_SMTP_URL$/,
		"邮件服务器拒绝连接（$1）：请检查 LATCHKEY_SMTP_URL",
	],
];
