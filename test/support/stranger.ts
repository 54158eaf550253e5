import fc, { type Arbitrary } from 'fast-check'

/**
 * A request that a stranger might send, as plain data. `{name}` in its texts stands for a value of a
 * {@link Visit}: a genuine cookie, token, state, code or link, which the test puts there.
 */
export interface Asked {
  readonly method: string
  /** The host that the request is routed by. */
  readonly host: string
  /** Path and query. */
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Parts of the Cookie header. */
  readonly cookies: readonly string[]
  readonly body: Body | undefined
  /** Is it sent twice, at the same time? */
  readonly isTwice: boolean
}

interface Body {
  readonly text: string
  /** Comes in pieces of this length; an error comes in the place of the last one. */
  readonly breaksAfter: number | undefined
}

/** The genuine values that a request may have; see `visit.ts`. */
const GENUINE = [
  'csrf',
  'session',
  'flow',
  'state',
  'code',
  'mailFlow',
  'mailToken',
  'mailCode',
  'sid',
  'credential',
]
const COOKIES = ['csrfCookie', 'sessionCookie', 'flowCookies']
/** Sessions that do not count here: from another secret, over, and one that no store knows. */
const SPURIOUS = ['foreignCookie', 'endedCookie', 'unknownCookie']

const FIELDS = [
  'csrfToken',
  'callbackUrl',
  'data',
  'json',
  'username',
  'password',
  'email',
  'code',
  'token',
  'flow',
  'state',
  'id',
  'sid',
  'session',
  'all',
  'others',
  'user',
  'error',
  'error_description',
  'iss',
  'scope',
  'client_id',
  'redirect_uri',
  'response_type',
  'nonce',
  'code_challenge',
  'request_uri',
  'scope[]',
  'redirect.uri',
  'login_hint',
  'prompt',
  'maxAge',
  'acr',
  'for',
  'credential',
  'name',
  'way',
  'provider',
  '__proto__',
  'constructor',
  'toString',
  'x',
  '',
]

const TARGETS = [
  '/inbox',
  '/auth/signout',
  '/auth/renew?callbackUrl=/x',
  '{origin}/inbox',
  '{origin}',
  '{origin}@evil.example/',
  '{origin}.evil.example/',
  'https://app.example/home',
  'https://a.apps.example/',
  'https://app.example.evil.example/',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'http:/evil.example',
  'https://evil.example\\@app.example/',
  '/%0d%0aSet-Cookie:%20a=b',
  '/\r\nSet-Cookie: a=b',
  '/\t/evil.example',
  ' //evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:{origin}/x',
  '/..//evil.example',
  '/./%2e%2e//evil.example',
  'https://user:pass@app.example/',
  'https://[::1',
  'https://app.example:99999/',
  '/\u0000',
  '/\ud800',
  'https://xn--',
  'https://\u202egro.example',
  '?x',
  '#x',
  '.',
  '',
  '/"><script>alert(1)</script>',
  'ftp://app.example/',
]

const FORM = 'application/x-www-form-urlencoded'

const junk = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\u0000',
      '\ud800',
      '\r\n',
      '%',
      '%zz',
      '%00',
      '%ff',
      '{',
      '[]',
      'null',
      '-1',
      '1e999',
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', '/', '%2f', '.', ';', '=', '&', 'ä', '\ud83d\ude00'),
        fc.integer({ min: 100, max: 9_000 }),
      )
      .map(([unit, times]) => unit.repeat(times)),
  },
)

const genuine = fc.constantFrom(...GENUINE).map((name) => `{${name}}`)

/** A genuine value that was tampered with, which the visit does: `{name~how}`. */
const tampered = fc
  .tuple(fc.constantFrom(...GENUINE, ...COOKIES), fc.constantFrom('cut', 'flip', 'more', 'upper'))
  .map(([name, how]) => `{${name}~${how}}`)

const value = fc.oneof(
  { weight: 4, arbitrary: genuine },
  { weight: 4, arbitrary: fc.constantFrom(...TARGETS) },
  { weight: 2, arbitrary: tampered },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'ada',
      'ada@example.com',
      'open sesame',
      'Configuration',
      'AccessDenied',
      'Verification',
      '1',
      '0',
      'true',
    ),
  },
  { weight: 3, arbitrary: junk },
)

const pair = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: junk }),
  value,
)

/** Parts of an honest request, each with some probability, so that tests reach the code behind the checks. */
const honest = fc.record({
  csrfToken: fc.constantFrom('{csrf}', '{csrf}', '{csrf}', undefined),
  callbackUrl: fc.option(fc.constantFrom(...TARGETS), { nil: undefined }),
  username: fc.constantFrom('ada', '{origin}', undefined),
  password: fc.constantFrom('open sesame', 'wrong', undefined),
  email: fc.constantFrom('ada@example.com', 'ada@example.com, eve@example.com', undefined),
  flow: fc.constantFrom('{mailFlow}', undefined),
  code: fc.constantFrom('{mailCode}', '{code}', '000000', undefined),
  token: fc.constantFrom('{mailToken}', undefined),
  state: fc.constantFrom('{state}', undefined),
  sid: fc.constantFrom('{sid}', undefined),
  id: fc.constantFrom('{sid}', undefined),
  for: fc.constantFrom('sign-in', 'sign-up', 'add', undefined),
  credential: fc.constantFrom('{credential}', '{credential}', '{"id":"AAAA"}', undefined),
  name: fc.constantFrom('Ada', ' ', undefined),
  way: fc.constantFrom('{sid}', undefined),
  provider: fc.constantFrom('passkey', 'videoapp', 'email', undefined),
})

const pairs = fc
  .tuple(fc.oneof(honest, fc.constant({})), fc.array(pair, { maxLength: 5 }))
  .map(([some, others]) => [
    ...Object.entries(some).flatMap(([name, one]) =>
      one === undefined ? [] : [[name, one] as const],
    ),
    ...others,
  ])

/** Percent-encoded if it is genuine text; junk may stay as it is. */
const encoded = fc
  .tuple(pairs, fc.boolean())
  .map(([all, isRaw]) =>
    all.map((one) => one.map((text) => (isRaw ? text : encode(text))).join('=')).join('&'),
  )

/** Leaves `{name}` for the visit, which encodes the value. */
function encode(text: string): string {
  return text
    .split(/(\{[\w~]+\})/)
    .map((part, index) =>
      index % 2 === 1 ? part : encodeURIComponent(part.replace(/[\ud800-\udfff]/gu, '?')),
    )
    .join('')
}

/** A content type and a body of it, with the csrf token. */
const fitting = fc
  .tuple(honest, fc.array(pair, { maxLength: 2 }), fc.boolean(), fc.jsonValue({ maxDepth: 3 }))
  .map(([some, others, isJson, data]): [string, string] => {
    const fields = Object.entries({ ...some, csrfToken: '{csrf}' }).filter(
      ([, text]) => text !== undefined,
    ) as [string, string][]
    const all = [...fields, ...others]
    if (isJson) return ['application/json', JSON.stringify({ data, ...Object.fromEntries(all) })]
    const form = all.map((parts) => parts.map(encode).join('='))
    return [FORM, form.join('&')]
  })

/** @param routes below the base path, with `:provider` */
export function asked(routes: readonly string[], providers: readonly string[]): Arbitrary<Asked> {
  const ids = fc.constantFrom(
    ...providers,
    'nobody',
    '__proto__',
    'constructor',
    '%00',
    '..',
    '{csrf}',
  )
  const route = fc
    .tuple(fc.constantFrom(...routes), ids)
    .map(([path, id]) => `/auth${path.replace(':provider', id)}`)
  const bent = fc
    .tuple(
      route,
      fc.constantFrom(
        '/',
        '//',
        '/..',
        '/%2e%2e/session',
        '%',
        '%00',
        '%2f',
        ';x=1',
        '/x',
        '.json',
        '%ff',
        '\\',
        ' ',
      ),
      fc.nat(20),
    )
    .map(([path, more, at]) => path.slice(0, at) + more + path.slice(at))
  const path = fc.oneof(
    { weight: 8, arbitrary: route },
    { weight: 1, arbitrary: bent },
    { weight: 1, arbitrary: junk.map((text) => `/${text}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '/auth',
        '/auth/',
        '/AUTH/session',
        '//auth/session',
        '/auth/../auth/session',
        '/.well-known/webauthn',
      ),
    },
  )
  const query = fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 6, arbitrary: encoded.map((text) => `?${text}`) },
    { weight: 1, arbitrary: junk.map((text) => `?${text}`) },
  )
  const wild = fc.record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant('POST') },
      { weight: 6, arbitrary: fc.constant('GET') },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          'HEAD',
          'OPTIONS',
          'PUT',
          'DELETE',
          'PATCH',
          'PROPFIND',
          'post',
          'get',
          'M-SEARCH',
        ),
      },
    ),
    host: fc.oneof(
      { weight: 9, arbitrary: fc.constant('{origin}') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'http://evil.example',
          'https://127.0.0.1:8787',
          'http://[::1]:8787',
          'https://xn--bcher-kva.example',
        ),
      },
    ),
    path: fc.tuple(path, query).map((parts) => parts.join('')),
    headers: fc
      .tuple(contentType, fc.array(header, { maxLength: 4 }))
      .map(([type, others]) => [...type, ...others]),
    cookies: fc.array(cookie, { maxLength: 5 }),
    body,
    isTwice: fc.constantFrom(false, false, false, false, true),
  })
  const [one = '', ...others] = LIKELY.flatMap(([method, path]) =>
    providers.map((id) => `${method} /auth${path.replace(':provider', id)}`),
  )
  const likely = fc
    .record({
      line: fc.constantFrom(one, ...others),
      query,
      headers: fc.array(header, { maxLength: 2 }),
      cookies: fc.subarray(['{csrfCookie}', '{csrfCookie}', '{sessionCookie}', '{flowCookies}']),
      more: fc.array(cookie, { maxLength: 1 }),
      message: fitting,
      breaksAfter: fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, fc.nat(200)),
      isTwice: fc.boolean(),
    })
    .map(({ line, query, headers, cookies, more, message: [type, text], breaksAfter, isTwice }) => {
      const [method = '', path = ''] = line.split(' ')
      return {
        method,
        host: '{origin}',
        path: path + query,
        headers: [['content-type', type] as const, ...headers],
        cookies: [...cookies, ...more],
        body: { text, breaksAfter },
        isTwice,
      }
    })
  return fc.oneof(wild, likely)
}

/** The routes that change something, or that depend on the user. */
const LIKELY = [
  ['POST', '/signin/:provider'],
  ['POST', '/callback/:provider'],
  ['POST', '/callback/:provider'],
  ['GET', '/callback/:provider'],
  ['POST', '/passkey/options'],
  ['POST', '/callback/passkey'],
  ['POST', '/ways/add'],
  ['POST', '/ways/rename'],
  ['POST', '/session'],
  ['POST', '/signout'],
  ['POST', '/sessions/revoke'],
  ['GET', '/session'],
  ['GET', '/sessions'],
  ['GET', '/account'],
  ['GET', '/renew'],
] as const

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant([['content-type', FORM] as const]) },
  { weight: 3, arbitrary: fc.constant([['content-type', 'application/json'] as const]) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        '',
        'text/plain',
        'multipart/form-data',
        'multipart/form-data; boundary=x',
        `${FORM}; charset=utf-16`,
        'APPLICATION/JSON;x',
        'application/json, text/html',
        ';',
        'application/vnd.api+json',
      )
      .map((type) => [['content-type', type] as const]),
  },
  { weight: 1, arbitrary: fc.constant([]) },
)

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  accept: ['text/html', 'application/json', '*/*', 'text/html;q=0', ',,,', 'x'.repeat(5_000)],
  'accept-encoding': ['gzip', 'identity;q=0', '*'],
  'accept-language': ['de', '*', '\u00ff'],
  authorization: ['Bearer {session}', 'Basic YTpi', 'x'],
  'cf-connecting-ip': [
    '203.0.113.7',
    '2001:db8::1',
    'x',
    '',
    '::ffff:203.0.113.7',
    '203.0.113.7, 203.0.113.8',
  ],
  'cf-ipcountry': ['DE', 'T1', '<b>'],
  connection: ['close', 'upgrade', 'cookie'],
  'content-encoding': ['gzip', 'br', 'identity'],
  'content-length': ['0', '1', '999999999', '-1', 'abc', '1e3', '18446744073709551616', ''],
  expect: ['100-continue'],
  forwarded: ['for=203.0.113.7;host=evil.example;proto=https', '"'],
  host: [
    'evil.example',
    'app.example',
    '',
    'a b',
    '[::1',
    'evil.example:99999',
    '{host}',
    'LOCALHOST:8787',
    '..',
    '\u00ff',
  ],
  'if-modified-since': ['Sun, 22 Nov 2026 00:00:00 GMT', 'x'],
  'if-none-match': ['*', '"x"'],
  origin: [
    '{origin}',
    'https://evil.example',
    'null',
    'https://app.example',
    '',
    'x',
    'https://app.example.evil.example',
    'HTTPS://APP.EXAMPLE',
  ],
  'proxy-authorization': ['x'],
  purpose: ['prefetch'],
  range: ['bytes=0-0', 'bytes=-1', 'x'],
  referer: ['{origin}/auth/signin', 'https://evil.example/', 'x'],
  'sec-fetch-dest': ['document', 'iframe', 'image', 'x'],
  'sec-fetch-mode': ['navigate', 'cors', 'x'],
  'sec-fetch-site': ['same-origin', 'same-site', 'cross-site', 'none', 'x', ''],
  'sec-purpose': ['prefetch', 'prefetch;prerender', 'x'],
  te: ['trailers'],
  'transfer-encoding': ['chunked', 'gzip, chunked', 'x'],
  upgrade: ['websocket', 'h2c'],
  'user-agent': [
    '',
    'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0',
    '<script>',
    '\u00e4',
    'x'.repeat(9_000),
  ],
  'x-auth-return-redirect': ['1', '1', '1', '0', 'true', ''],
  'x-forwarded-for': ['203.0.113.7', 'x, y', ''],
  'x-forwarded-host': [
    'evil.example',
    'app.example',
    'a.apps.example, evil.example',
    '',
    'a b',
    'evil.example/x',
    '{host}',
    '\u00ff',
  ],
  'x-forwarded-port': ['443', 'x'],
  'x-forwarded-proto': ['https', 'http', 'https,http', 'javascript', ''],
  'x-http-method-override': ['DELETE', 'POST'],
  'x-original-url': ['/auth/session', 'https://evil.example/'],
  'x-requested-with': ['XMLHttpRequest'],
}

const header = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .constantFrom(...Object.entries(HEADERS))
      .chain(([name, values]) => fc.constantFrom(...values).map((one) => [name, one] as const)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...Object.keys(HEADERS), 'x-any'),
        fc.string({
          unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)),
          maxLength: 50,
        }),
      )
      .map(([name, text]) => [name, text] as const),
  },
)

const cookie = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('{csrfCookie}', '{csrfCookie}', '{sessionCookie}', '{flowCookies}'),
  },
  { weight: 2, arbitrary: fc.constantFrom(...SPURIOUS).map((name) => `{${name}}`) },
  { weight: 2, arbitrary: tampered },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '__Host-', '__Secure-', ' ', '\u00a0'),
        fc.constantFrom(
          'auth.session-token',
          'auth.session-token.0',
          'auth.session-token.1',
          'auth.session-token.99999999999',
          'auth.csrf-token',
          'auth.flow.x',
          'auth.flow.',
          'auth',
          '',
        ),
        fc.oneof(
          genuine,
          fc.constantFrom('', '=', '"', '%', '%zz', 'a.b.c', '.', '..', 'eyJ.e30.', '{"a":1}'),
          fc.string({ maxLength: 30 }),
        ),
      )
      .map(([prefix, name, text]) => `${prefix}${name}=${text}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ';',
      '; ;',
      '=',
      ',',
      'a',
      '"',
      `${'a=b; '.repeat(500)}`,
      `auth.flow.${'x'.repeat(200)}=y; `.repeat(20),
      'auth.session-token=x; '.repeat(200),
    ),
  },
)

const body: Arbitrary<Body | undefined> = fc.record({
  text: fc.oneof(
    { weight: 6, arbitrary: encoded },
    { weight: 3, arbitrary: pairs.map((all) => JSON.stringify(Object.fromEntries(all))) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.json(), honest)
        .map(([data, fields]) => JSON.stringify({ ...fields, data: JSON.parse(data) })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '[]',
        'null',
        '"x"',
        '{"__proto__":{"csrfToken":"x"}}',
        `${'['.repeat(3_000)}`,
        `{"csrfToken":"{csrf}","data":${'{"a":'.repeat(40)}1${'}'.repeat(41)}`,
        `x=${'y'.repeat(70_000)}`,
        'csrfToken={csrf}&csrfToken={csrf}',
      ),
    },
    { weight: 1, arbitrary: junk },
  ),
  breaksAfter: fc.oneof(
    { weight: 15, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.nat(200) },
  ),
})
