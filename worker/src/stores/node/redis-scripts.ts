/**
 * The scripts that Redis runs as one step. All keys have the same beginning and are in one slot of
 * a cluster. Rows do not expire by themselves: a list has their ends, and each commit deletes a few
 * that are over. So a policy that evicts keys with an expiry evicts none of them.
 */

/** KEYS: rows. Answers the time, in seconds and microseconds, and the rows; no row is empty. */
export const READ = `
local time = redis.call('TIME')
local rows = {}
for place, key in ipairs(KEYS) do rows[place] = redis.call('GET', key) or '' end
return { time[1], time[2], rows }`

/** KEYS: a list of rows by key, the row of the beginning, the row of no key. Answers keys. */
export const KEYS_FROM = `
local found = redis.call('ZRANGEBYLEX', KEYS[1], '[' .. KEYS[2], '[' .. KEYS[2] .. string.char(255))
local keys = {}
for place, row in ipairs(found) do keys[place] = string.sub(row, #KEYS[3] + 1) end
return keys`

/** As `KEYS_FROM`. ARGV: how many. Answers keys and rows in turn. */
export const ENTRIES = `
local found = redis.call('ZRANGEBYLEX', KEYS[1], '[' .. KEYS[2], '[' .. KEYS[2] .. string.char(255), 'LIMIT', 0, ARGV[1])
local all = {}
for _, row in ipairs(found) do
  all[#all + 1] = string.sub(row, #KEYS[3] + 1)
  all[#all + 1] = redis.call('GET', row)
end
return all`

/** KEYS: a list of rows by time, the row of no key. ARGV: since, how many. Answers keys and rows in turn. */
export const SINCE = `
local found = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf', 'LIMIT', 0, ARGV[2])
local all = {}
for _, row in ipairs(found) do
  -- A process of a version before may have deleted a row of a table that it does not know, and left it in the list.
  local content = redis.call('GET', row)
  if content then
    all[#all + 1] = string.sub(row, #KEYS[2] + 1)
    all[#all + 1] = content
  end
end
return all`

/** How many rows that are over a commit deletes: more than most write. */
const SWEPT = 16

/**
 * KEYS: the list of ends, so many lists as ARGV says, the rows. ARGV: the latest time, in
 * milliseconds, or nothing; up to which second rows are over, or how long ago by the clock of
 * Redis, which begins with '-'; the number of lists; for each row the value that was read ('=' and
 * the row, '0' for none, '' for anything), the value to write ('=' and the row, '0' for none, ''
 * for nothing), its end, and the list and the score of its own, or nothing.
 */
export const COMMIT = `
local time = redis.call('TIME')
if ARGV[1] ~= '' and time[1] * 1000 + time[2] / 1000 > tonumber(ARGV[1]) then return 0 end
local ends = KEYS[1]
local first = 1 + tonumber(ARGV[3])
for row = 1, #KEYS - first do
  local read = ARGV[4 + (row - 1) * 5]
  if read ~= '' then
    local is = redis.call('GET', KEYS[first + row])
    if (is and '=' .. is or '0') ~= read then return 0 end
  end
end
for row = 1, #KEYS - first do
  local key = KEYS[first + row]
  local place = 4 + (row - 1) * 5
  local written, over, list, score = ARGV[place + 1], ARGV[place + 2], ARGV[place + 3], ARGV[place + 4]
  if written == '0' then
    redis.call('DEL', key)
    redis.call('ZREM', ends, key)
    if list ~= '' then redis.call('ZREM', KEYS[1 + tonumber(list)], key) end
  elseif written ~= '' then
    redis.call('SET', key, string.sub(written, 2))
    if over == '' then redis.call('ZREM', ends, key) else redis.call('ZADD', ends, over, key) end
    if list ~= '' then redis.call('ZADD', KEYS[1 + tonumber(list)], score, key) end
  end
end
local past = ARGV[2]
if string.sub(past, 1, 1) == '-' then past = time[1] + tonumber(past) end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', past, 'LIMIT', 0, ${SWEPT})) do
  redis.call('DEL', key)
  for list = 1, first do redis.call('ZREM', KEYS[list], key) end
end
return 1`

/** KEYS: a record, the list of its person's. ARGV: the record, its sid, its end, and for how long Redis keeps it. */
export const PUT_SESSION = `
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
if tonumber(ARGV[4]) > redis.call('TTL', KEYS[2]) then redis.call('EXPIRE', KEYS[2], ARGV[4]) end
return 1`

/** KEYS: a record, the list of its person's. ARGV: its sid. */
export const DELETE_SESSION = `
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1`

/** KEYS: the list of a person's, their record of no sid. ARGV: now, how many. Answers records. */
export const LIST_SESSIONS = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
local records = {}
for _, sid in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, ARGV[2] - 1)) do
  local record = redis.call('GET', KEYS[2] .. sid)
  if record then records[#records + 1] = record end
end
return records`

/** KEYS: how the lists begin. ARGV: where to go on, how many. Answers where to go on, and the ids of their people. */
export const FIND_PEOPLE = `
local pattern = string.gsub(KEYS[1], '[%*%?%[%]%^\\\\]', '\\\\%0') .. '*'
local found = redis.call('SCAN', ARGV[1], 'MATCH', pattern, 'COUNT', ARGV[2])
local people = {}
for at, key in ipairs(found[2]) do people[at] = string.sub(key, #KEYS[1] + 1) end
return { found[1], people }`

/** KEYS: the list of a person's, their record of no sid. */
export const DELETE_SESSIONS = `
for _, sid in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('DEL', KEYS[2] .. sid) end
redis.call('DEL', KEYS[1])
return 1`
