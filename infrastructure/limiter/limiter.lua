-- The shared state of a provider key. Only this script changes it, by the server's clock.
-- Constants in capitals come from Pace and are prepended to this file. Times are in milliseconds.
--   turn    KEYS state slots wanting     ends calls and starts others, in one round trip
--   renew   KEYS slots...                renews the slots of a process; adds expired ones again
--   drop    KEYS slots...                removes slots
--   status  KEYS state slots, for each key
--   reset   KEYS state

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local NAMES = {
  'limit',       -- concurrent calls, fractional while it grows additively
  'threshold',   -- slow start below this
  'cap',         -- the owner's limit, as last heard
  'cut_at',      -- when the limit was last halved
  'full_at',     -- when a call last waited for a place
  'hold_until', 'hold_step', 'hold_at',  -- key-wide hold; times in a row without a Retry-After; when that last grew
  'failures', 'open_until', 'open_step', -- breaker: failures in a row; it is closed while open_step is 0
  'probe',       -- the slot of the single call of a half-open breaker
  'requests', 'requests_at', 'tokens', 'tokens_at', -- levels of the two buckets
}
local DEFAULTS = {
  limit = START, threshold = 1e9, cap = MOST, cut_at = 0, full_at = 0, hold_until = 0, hold_step = 0, hold_at = 0,
  failures = 0, open_until = 0, open_step = 0, probe = '',
}

local function load(key)
  local state, stored = {}, redis.call('HMGET', key, unpack(NAMES))
  for i, name in ipairs(NAMES) do
    local value = stored[i]
    if name == 'probe' then state[name] = value or '' else state[name] = value and tonumber(value) or DEFAULTS[name] end
  end
  return state, stored
end

local function save(key, state, stored)
  local changes = {}
  for i, name in ipairs(NAMES) do
    local value = state[name]
    if value ~= nil and value ~= (name == 'probe' and stored[i] or tonumber(stored[i] or nil)) then
      changes[#changes + 1] = name
      changes[#changes + 1] = value
    end
  end
  if #changes > 0 then
    redis.call('HSET', key, unpack(changes))
    redis.call('PEXPIRE', key, math.max(STATE_MS, state.hold_until - now + 60000))
  end
end

local function allowed(state)
  return math.max(1, math.min(math.floor(state.limit), state.cap))
end

-- How one call ended --------------------------------------------------------------------------------------------

local function grow(state)
  -- An unused limit proves nothing, so it grows only while calls wait for a place.
  if now - state.full_at > DEMAND_MS then return end
  local step = state.limit < state.threshold and 1 or 1 / state.limit
  state.limit = math.min(state.limit + step, state.cap)
end

local function limited(state, granted_at, retry_after)
  -- Other calls in flight get the same answer. Only a call that started after the last cut is new information.
  if granted_at >= state.cut_at and now - state.cut_at >= CUT_MS then
    state.limit = math.max(1, allowed(state) / 2)
    state.threshold = state.limit
    state.cut_at = now
  end
  if retry_after > 0 then
    state.hold_until = math.max(state.hold_until, now + retry_after)
  elseif granted_at >= state.hold_at then
    state.hold_until = math.max(state.hold_until, now + math.min(HOLD_MS * 2 ^ state.hold_step, HOLD_MOST_MS))
    state.hold_step = state.hold_step + 1
    state.hold_at = now
  end
end

local function failed(state)
  if state.open_step == 0 then
    state.failures = state.failures + 1
    if state.failures < FAILURES then return end
    state.threshold = math.max(START, allowed(state) / 2) -- after an outage start as carefully as at the beginning
    state.limit = math.min(state.limit, START)
  end
  state.open_until = now + math.min(OPEN_MS * 2 ^ state.open_step, OPEN_MOST_MS)
  state.open_step = state.open_step + 1
end

local function settle(state, token, outcome, granted_at, retry_after)
  if granted_at == 0 then granted_at = now end -- granted by a process without this server
  -- A call that started before the breaker opened tells nothing about the endpoint now.
  local is_news = state.open_step == 0 or state.probe == token
  if outcome == 'ok' and is_news then
    grow(state)
    state.hold_step, state.failures, state.open_step, state.open_until = 0, 0, 0, 0
  elseif outcome == 'limited' then
    limited(state, granted_at, retry_after)
  elseif outcome == 'failed' and is_news then
    failed(state)
  end
  if state.probe == token then state.probe = '' end
end

-- Who may start -------------------------------------------------------------------------------------------------

local function refill(state, name, per_minute)
  if per_minute == 0 then return end
  local burst = math.max(1, per_minute * BURST)
  local level = state[name] or burst
  local passed = now - (state[name .. '_at'] or now)
  state[name] = math.min(burst, level + passed * per_minute / 60000)
  state[name .. '_at'] = now
end

-- A call larger than the burst starts when the bucket is full and leaves it negative.
local function bucket_wait(state, name, per_minute, amount)
  if per_minute == 0 then return 0 end
  local need = math.min(amount, math.max(1, per_minute * BURST))
  return math.max(0, math.ceil((need - state[name]) * 60000 / per_minute))
end

-- A process reuses its own places. If several processes want places, each gets up to its share of the limit. The
-- remainder goes to the process that waits longest, once it has waited a little, because a place that changes process
-- is empty until the other process asks.
local function has_turn(wanting, process, held, limit)
  local rivals, mine, first = 0, now, math.huge
  local entries = redis.call('HGETALL', wanting)
  for i = 1, #entries, 2 do
    local since, expires = string.match(entries[i + 1], '(%d+) (%d+)')
    if entries[i] == process then
      mine = tonumber(since)
    elseif tonumber(expires) > now then
      rivals = rivals + 1
      first = math.min(first, tonumber(since))
    else
      redis.call('HDEL', wanting, entries[i])
    end
  end
  return rivals == 0 or held + 1 <= limit / (rivals + 1) or mine < first or now - first < TURN_MS, mine
end

local function refusal(state, slots, ask, in_flight)
  if state.hold_until > now then return 'hold', state.hold_until - now end
  if state.open_step > 0 then
    if state.open_until > now then return 'open', state.open_until - now end
    if state.probe ~= '' and redis.call('ZSCORE', slots, state.probe) then return 'probe', PLACE_MS end
  end
  if in_flight >= allowed(state) then return 'place', PLACE_MS end
  local wait = bucket_wait(state, 'requests', ask.requests_per_minute, 1)
  if wait > 0 then return 'requests', wait end
  wait = bucket_wait(state, 'tokens', ask.tokens_per_minute, ask.tokens)
  if wait > 0 then return 'tokens', wait end
  if not has_turn(ask.wanting, ask.process, ask.held, allowed(state)) then return 'place', PLACE_MS end
  return '', 0
end

local function turn()
  local key, slots, wanting = unpack(KEYS)
  local process, held, carry = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  local state, stored = load(key)
  local ask = { process = process, held = held, wanting = wanting,
    requests_per_minute = tonumber(ARGV[6]), tokens_per_minute = tonumber(ARGV[7]) }
  state.cap = tonumber(ARGV[5]) > 0 and tonumber(ARGV[5]) or MOST
  if carry > 0 then state.hold_until = math.max(state.hold_until, now + carry) end
  refill(state, 'requests', ask.requests_per_minute)
  refill(state, 'tokens', ask.tokens_per_minute)

  -- Token, outcome, time of the grant, wait and refund of each ended call; then token and tokens of each that asks.
  local first_ask = 9 + 5 * tonumber(ARGV[8])
  for i = 9, first_ask - 1, 5 do
    redis.call('ZREM', slots, ARGV[i])
    settle(state, ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3]))
    if ask.tokens_per_minute > 0 then
      state.tokens = math.min(math.max(1, ask.tokens_per_minute * BURST), state.tokens + tonumber(ARGV[i + 4]))
    end
  end

  local granted, kind, wait = 0, '', 0
  if #ARGV >= first_ask then
    redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
    local in_flight = redis.call('ZCARD', slots)
    for i = first_ask, #ARGV, 2 do
      local token = ARGV[i]
      ask.tokens = tonumber(ARGV[i + 1])
      kind, wait = refusal(state, slots, ask, in_flight)
      if kind ~= '' then break end
      redis.call('ZADD', slots, now + SLOT_MS, token)
      if state.open_step > 0 then state.probe = token end
      if ask.requests_per_minute > 0 then state.requests = state.requests - 1 end
      if ask.tokens_per_minute > 0 then state.tokens = state.tokens - ask.tokens end
      granted, in_flight, ask.held = granted + 1, in_flight + 1, ask.held + 1
    end
    if granted > 0 then redis.call('PEXPIRE', slots, SLOT_MS) end
    if kind == 'place' then
      state.full_at = now
      local _, since = has_turn(wanting, process, 0, 1)
      if granted > 0 then since = now end
      redis.call('HSET', wanting, process, string.format('%.0f %.0f', since, now + WANT_MS))
      redis.call('PEXPIRE', wanting, WANT_MS)
    else
      redis.call('HDEL', wanting, process)
    end
  end
  save(key, state, stored)
  local pause = math.max(0, state.hold_until - now, state.open_until - now)
  return { granted, kind, wait, allowed(state), now, pause }
end

-- The rest ------------------------------------------------------------------------------------------------------

-- ARGV: the number of slots of each key, each followed by the slots.
local function each_slot(act)
  local at = 2
  for _, slots in ipairs(KEYS) do
    local count = tonumber(ARGV[at])
    for i = at + 1, at + count do act(slots, ARGV[i]) end
    redis.call('PEXPIRE', slots, SLOT_MS)
    at = at + count + 1
  end
end

local function status()
  local rows = {}
  for i = 1, #KEYS, 2 do
    local state = load(KEYS[i])
    local hold, open = math.max(0, state.hold_until - now), math.max(0, state.open_until - now)
    local in_flight = redis.call('ZCOUNT', KEYS[i + 1], '(' .. now, '+inf')
    rows[#rows + 1] = { in_flight, allowed(state), hold, open, state.open_step }
  end
  return rows
end

if ARGV[1] == 'turn' then return turn() end
if ARGV[1] == 'renew' then
  return each_slot(function(slots, token) redis.call('ZADD', slots, now + SLOT_MS, token) end)
end
if ARGV[1] == 'drop' then return each_slot(function(slots, token) redis.call('ZREM', slots, token) end) end
if ARGV[1] == 'status' then return status() end
if ARGV[1] == 'reset' then
  redis.call('HDEL', KEYS[1], 'hold_until', 'hold_step', 'hold_at', 'failures', 'open_until', 'open_step', 'probe')
end
