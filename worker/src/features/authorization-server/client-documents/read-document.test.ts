import { describe, expect, it } from 'vitest'
import { keepFor } from './keep-for.js'
import { readDocument } from './read-document.js'

const url = 'https://app.example.com/client.json'
const uri = 'https://app.example.com/cb'
const good = { client_id: url, redirect_uris: [uri] }

interface Sent {
  readonly status?: number
  readonly type?: string | null
  readonly text?: string | Uint8Array<ArrayBuffer>
}

function answerWith(
  document: unknown,
  { status = 200, type = 'application/json', text }: Sent = {},
) {
  const body = text ?? JSON.stringify(document)
  const response = new Response(status === 204 ? null : body, { status })
  if (type === null) response.headers.delete('content-type')
  else response.headers.set('content-type', type)
  return response
}

describe('a metadata document is taken', () => {
  it.each<[string, object, Sent?]>([
    ['with what it needs', good],
    [
      'with all that it may say',
      {
        ...good,
        client_name: 'Notes',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: 'x',
      },
    ],
    [
      'with members that nobody knows',
      {
        ...good,
        client_uri: 'https://evil.example',
        logo_uri: 'https://evil.example/x.svg',
        jwks: {},
        firstParty: true,
        secrets: ['x'],
      },
    ],
    [
      'with redirect URIs of this machine and of an app',
      { ...good, redirect_uris: ['http://127.0.0.1/cb', 'com.example.app:/cb'] },
    ],
    [
      'with 20 redirect URIs',
      { ...good, redirect_uris: Array.from({ length: 20 }, (_, at) => `${uri}/${at}`) },
    ],
    ['with a type of its own', good, { type: 'application/cimd+json' }],
    ['with a type in capitals and a parameter', good, { type: 'Application/JSON; charset=utf-8' }],
  ])('%s', async (_, document, sent) => {
    const app = await readDocument(url, answerWith(document, sent))
    expect(app).toMatchObject({ id: url, host: 'app.example.com', secrets: [], alg: 'ES256' })
    expect([app.isFirstParty, app.isDevice]).toEqual([false, false])
  })

  it('has its host for a name, if it says none', async () => {
    expect((await readDocument(url, answerWith(good))).name).toBe('app.example.com')
    const named = answerWith({ ...good, client_name: '  Meine Notizen ' })
    expect((await readDocument(url, named)).name).toBe('Meine Notizen')
  })
})

type Row = readonly [what: string, document: unknown, says: RegExp, sent?: Sent]

const many = Array.from({ length: 21 }, (_, at) => `${uri}/${at}`)

/** Documents that are refused, and the member or the part of the answer that the log names. */
const REFUSED: readonly Row[] = [
  ['status 201', good, /status/, { status: 201 }],
  ['status 203', good, /status/, { status: 203 }],
  ['status 404', good, /status/, { status: 404 }],
  ['status 500', good, /status/, { status: 500 }],
  ['no content', good, /status/, { status: 204 }],
  ['a page', good, /Content-Type/, { type: 'text/html' }],
  ['text', good, /Content-Type/, { type: 'text/plain' }],
  ['JSON as text', good, /Content-Type/, { type: 'text/json' }],
  ['JSON Lines', good, /Content-Type/, { type: 'application/jsonl' }],
  ['a type that begins with JSON’s', good, /Content-Type/, { type: 'application/json-seq' }],
  ['no type', good, /Content-Type/, { type: null }],
  ['nothing', null, /object/, { text: '' }],
  ['broken JSON', null, /object/, { text: '{"client_id":' }],
  ['two values', null, /object/, { text: '{}{}' }],
  ['a byte order mark', null, /object/, { text: `\ufeff${JSON.stringify(good)}` }],
  ['bytes that are not UTF-8', null, /object/, { text: new Uint8Array([0x22, 0xff, 0x22]) }],
  ['null', null, /object/],
  ['a list', [good], /object/],
  ['a text', url, /object/],
  ['no client_id', { redirect_uris: [uri] }, /client_id/],
  [
    'another app’s client_id',
    { ...good, client_id: 'https://bank.example/client.json' },
    /client_id/,
  ],
  ['a client_id with another spelling', { ...good, client_id: `${url}/` }, /client_id/],
  ['a client_id with capitals', { ...good, client_id: url.replace('app.', 'App.') }, /client_id/],
  ['a client_id in a list', { ...good, client_id: [url] }, /client_id/],
  [
    'a client_id of a prototype',
    JSON.parse(`{"__proto__":{"client_id":"${url}"},"redirect_uris":["${uri}"]}`),
    /client_id/,
  ],
  ['no redirect URIs', { client_id: url }, /redirect_uris/],
  ['an empty list of them', { ...good, redirect_uris: [] }, /redirect_uris/],
  ['21 of them', { ...good, redirect_uris: many }, /redirect_uris/],
  ['a text in the place of the list', { ...good, redirect_uris: uri }, /redirect_uris/],
  [
    'an object in the place of the list',
    { ...good, redirect_uris: { 0: uri, length: 1 } },
    /redirect_uris/,
  ],
  ['plain http', { ...good, redirect_uris: ['http://app.example.com/cb'] }, /redirect_uris/],
  ['a scheme that nobody owns', { ...good, redirect_uris: ['claude://cb'] }, /redirect_uris/],
  ['a script', { ...good, redirect_uris: ['javascript:alert(1)'] }, /redirect_uris/],
  ['a wildcard', { ...good, redirect_uris: ['https://*.example.com/cb'] }, /redirect_uris/],
  ['a fragment', { ...good, redirect_uris: [`${uri}#x`] }, /redirect_uris/],
  ['a number alone', { ...good, redirect_uris: [1] }, /redirect_uris/],
  [
    '21 of which one can be used',
    { ...good, redirect_uris: [uri, ...many.slice(1).map(() => 'x')] },
    /redirect_uris/,
  ],
  ['an empty name', { ...good, client_name: '' }, /client_name/],
  ['a name of spaces', { ...good, client_name: '  ' }, /client_name/],
  ['a name of 101 characters', { ...good, client_name: 'x'.repeat(101) }, /client_name/],
  ['a name of two lines', { ...good, client_name: 'Bank\nSign in' }, /client_name/],
  ['a name that turns the text beside it', { ...good, client_name: 'a\u202eb' }, /client_name/],
  ['a name that cannot be seen', { ...good, client_name: '\u200b' }, /client_name/],
  ['a number for a name', { ...good, client_name: 1 }, /client_name/],
  ['null for a name', { ...good, client_name: null }, /client_name/],
  [
    'a secret’s method',
    { ...good, token_endpoint_auth_method: 'client_secret_basic' },
    /token_endpoint_auth_method/,
  ],
  [
    'a key’s method',
    { ...good, token_endpoint_auth_method: 'private_key_jwt' },
    /token_endpoint_auth_method/,
  ],
  [
    'a list of methods',
    { ...good, token_endpoint_auth_method: ['none'] },
    /token_endpoint_auth_method/,
  ],
  ['a secret', { ...good, client_secret: 'x'.repeat(32) }, /client_secret/],
  ['an empty secret', { ...good, client_secret: '' }, /client_secret/],
  ['null for a secret', { ...good, client_secret: null }, /client_secret/],
  ['another grant', { ...good, grant_types: ['client_credentials'] }, /grant_types/],
  ['no grant', { ...good, grant_types: [] }, /grant_types/],
  ['a text for a grant', { ...good, grant_types: 'authorization_code' }, /grant_types/],
]

it('passes over redirect URIs that cannot be used', async () => {
  const others = [
    'claude://cb',
    'javascript:alert(1)',
    'http://app.example.com/cb',
    1,
    null,
    {},
    '',
  ]
  const redirect_uris = [...others, uri, 'com.example.app:/cb', `${uri}#x`]
  const app = await readDocument(url, answerWith({ ...good, redirect_uris }))
  expect(app.redirectUris).toEqual([uri, 'com.example.app:/cb'])
})

describe('a metadata document is refused', () => {
  it.each(REFUSED.map((row) => ({ row, what: row[0] })))('with $what', async ({ row }) => {
    const [, document, says, sent] = row
    const reading = readDocument(url, answerWith(document, sent))
    await expect(reading).rejects.toMatchObject({ name: 'DocumentFault' })
    const fault = await reading.catch((error: Error) => error.message)
    expect(fault).toMatch(says)
    // The log has no part of the document, and no address.
    expect(fault).not.toMatch(/example|http|Bank/)
  })

  it('in at least thirty ways', () => {
    expect(REFUSED.length).toBeGreaterThanOrEqual(30)
  })
})

it.each([
  [null, 300],
  ['', 300],
  ['public', 300],
  ['max-age=0', 300],
  ['max-age=299', 300],
  ['max-age=600', 600],
  ['public, max-age=3600, must-revalidate', 3_600],
  ['Max-Age="900"', 900],
  ['max-age=31536000, immutable', 86_400],
  ['max-age=99999999999999999999', 300],
  ['max-age=-1', 300],
  ['max-age=x', 300],
  ['no-store', 300],
  ['no-cache, max-age=3600', 300],
  ['max-age=3600, no-store', 300],
  ['x-max-age=3600', 300],
])('with Cache-Control %s a document is kept for %i seconds', (value, seconds) => {
  expect(keepFor(new Headers(value === null ? {} : { 'cache-control': value }))).toBe(seconds)
})
