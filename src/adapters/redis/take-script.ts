// The script that counts a request in Redis against all its limits, atomically and by one clock.

/**
 * `KEYS`: the logs of the limits, in the order of the checks; `ARGV`: the window in microseconds, then the limit of
 * each key. Continues with the next key only when the one before allowed the request. Returns four numbers for each
 * checked key: 1 when allowed, else 0; the remaining requests; microseconds until the oldest counted request leaves the
 * window; the recorded time (clock of Redis, microseconds). A log is a list of such times, oldest first, at most as
 * long as its limit, and expires with its newest entry.
 *
 * When the clock is set back, all entries of a log count as recorded now: no window admits more than the limit.
 */
export const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = tonumber(ARGV[1])
local answer = {}
for i, key in ipairs(KEYS) do
	local limit = tonumber(ARGV[i + 1])
	local last = tonumber(redis.call('LINDEX', key, -1) or '0')
	if last > now + 1000000 then
		local length = redis.call('LLEN', key)
		redis.call('DEL', key)
		for entry = 1, length do redis.call('RPUSH', key, string.format('%.0f', now)) end
		redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1000)
		last = now
	end
	local at = math.max(now, last)
	local function isOver(entry) return entry and tonumber(entry) <= at - window end
	while isOver(redis.call('LINDEX', key, 127)) do redis.call('LTRIM', key, 128, -1) end
	while isOver(redis.call('LINDEX', key, 0)) do redis.call('LPOP', key) end
	local count = redis.call('LLEN', key)
	local reset = tonumber(redis.call('LINDEX', key, 0) or at) + window - at
	local allowed = count < limit and 1 or 0
	if allowed == 1 then
		redis.call('RPUSH', key, string.format('%.0f', at))
		redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1000)
		count = count + 1
	end
	table.insert(answer, allowed)
	table.insert(answer, math.max(0, limit - count))
	table.insert(answer, reset)
	table.insert(answer, at)
	if allowed == 0 then break end
end
return answer
`;

/** Numbers in the script's reply per checked key. */
export const NUMBERS_A_KEY = 4;
