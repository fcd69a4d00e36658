-- Asks a gate of Latchkey about a request, for HAProxy 2.6 or later. haproxy.cfg shows its use:
--
--   http-request lua.latchkey_gate <URL of the gate> <key of the gate>
--
-- A refusal becomes the response. The variable txn.latchkey_passed of a request that passed is true. If the gate does not
-- respond or fails, or after an error in this file, HAProxy continues with the next rule, which must refuse requests without
-- the variable.

local TIMEOUT_MS = 10000

-- What the gate reads of a request, and the cookies that it reads. Every line of a header is sent: the gate refuses repeated
-- proofs.
local ASKED = {
	"accept", "access-control-request-headers", "access-control-request-method", "authorization", "content-digest", "dpop", "origin", "upgrade",
	"x-api-key", "x-app-id", "x-nonce", "x-signature", "x-tenant-id", "x-timestamp",
}
local COOKIES = { ["__Host-latchkey"] = true, ["__Host-latchkey-gate"] = true }
local CREDENTIALS = {
	"authorization", -- own_tokens of the gate: remove this line, and the application gets its tokens
	"dpop", "x-signature", "x-gate-key",
}
-- Headers of one connection, which HAProxy writes itself.
local HOP_BY_HOP = { connection = true, ["content-length"] = true, date = true, ["keep-alive"] = true, ["transfer-encoding"] = true }

-- The lines of a header, from 1.
local function lines_of(headers, name)
	local lines = {}
	for index = 0, #(headers[name] or {}) do lines[#lines + 1] = headers[name] and headers[name][index] end
	return lines
end

-- The cookies for which the function returns true, as one line.
local function cookies(headers, is_kept)
	local kept = {}
	for _, line in ipairs(lines_of(headers, "cookie")) do
		for cookie in line:gmatch("[^;]+") do
			local trimmed = cookie:match("^%s*(.-)%s*$")
			if trimmed ~= "" and is_kept(trimmed) then kept[#kept + 1] = trimmed end
		end
	end
	return #kept > 0 and table.concat(kept, "; ") or nil
end

local function ask(txn, url, key)
	local received = txn.http:req_get_headers()
	local sent = {
		["x-gate-key"] = { key },
		["x-original-method"] = { txn.f:method() },
		["x-original-uri"] = { txn.f:pathq() },
		["x-forwarded-for"] = { tostring(txn.f:src()) },
		["x-forwarded-proto"] = { txn.f:ssl_fc() == 1 and "https" or "http" },
		["x-request-id"] = { txn.f:uuid() },
	}
	for _, name in ipairs(ASKED) do
		local lines = lines_of(received, name)
		if #lines > 0 then sent[name] = lines end
	end
	local own = cookies(received, function(cookie) return COOKIES[cookie:match("^[^=]*")] end)
	if own then sent.cookie = { own } end
	return core.httpclient():get({ url = url, headers = sent, timeout = TIMEOUT_MS })
end

-- Returns the response of the gate.
local function refuse(txn, response, status)
	local reply = txn:reply({ status = status, body = status ~= 204 and response.body or nil })
	for name in pairs(response.headers) do
		if not HOP_BY_HOP[name] then
			for _, line in ipairs(lines_of(response.headers, name)) do reply:add_header(name, line) end
		end
	end
	txn:done(reply)
end

-- Removes Latchkey's cookies, and the header if no other cookie is left.
local function keep_other_cookies(txn)
	local others = cookies(txn.http:req_get_headers(), function(cookie)
		return cookie:lower():find("__host-latchkey", 1, true) ~= 1
	end)
	txn.http:req_del_header("cookie")
	if others then txn.http:req_add_header("cookie", others) end
end

local function admit(txn, response)
	for _, name in ipairs(CREDENTIALS) do txn.http:req_del_header(name) end
	keep_other_cookies(txn)
	for name in pairs(response.headers) do
		if name:find("latchkey-", 1, true) == 1 then txn.http:req_set_header(name, lines_of(response.headers, name)[1]) end
	end
	local origin = lines_of(response.headers, "access-control-allow-origin")[1]
	if origin then txn:set_var("txn.latchkey_cors_origin", origin) end
	txn:set_var("txn.latchkey_passed", true)
end

core.register_action("latchkey_gate", { "http-req" }, function(txn, url, key)
	txn:set_var("txn.latchkey_passed", false)
	local response = ask(txn, url, key)
	if response.status == 200 and response.headers["access-control-allow-methods"] then
		refuse(txn, response, 204)      -- a preflight that passes
	elseif response.status == 200 then
		admit(txn, response)
	elseif response.status ~= nil and response.status >= 300 and response.status < 500 then
		refuse(txn, response, response.status)
	end
end, 2)
