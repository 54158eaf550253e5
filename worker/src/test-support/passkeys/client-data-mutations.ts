import { base64Url, CHALLENGE, type Changes, honest, ORIGIN } from './forge.js'

/** Deviations of one kind; each is an answer of its own. */
export type Mutations = Readonly<Record<string, readonly Changes[]>>

const OTHER_ORIGINS = [
  ...['http://app.example.com', 'https://app.example.com:8443', 'https://app.example.com/'],
  ...[
    'https://app.example.com.attacker.example',
    'https://attacker.example',
    'https://example.com',
  ],
  ...['HTTPS://APP.EXAMPLE.COM', 'https://app.example.com.', 'app.example.com', 'null', '', ' '],
  ...['android:apk-key-hash:AAAA', 'https://app.example.com\u0000', 'file://', 'https://'],
]

/** Client data with wrong contents, or in a form that no browser writes. */
export function clientDataMutations(type: 'create' | 'get'): Mutations {
  const members = honest(type)
  const good = JSON.stringify(members)
  const says = (clientData: Record<string, unknown>): Changes => ({ clientData })
  const writes = (clientData: string | Uint8Array): Changes => ({ clientData })
  /** The members one after another, some of them twice. */
  const twice = (first: object, last: object) =>
    writes(`${JSON.stringify(first).slice(0, -1)},${JSON.stringify(last).slice(1)}`)
  const bytes = (...list: (string | number[])[]) =>
    writes(Buffer.concat(list.map((part) => Buffer.from(part as string))))
  const other = type === 'create' ? 'webauthn.get' : 'webauthn.create'
  return {
    'another type': [
      ...[other, 'webauthn.Create', '', 'payment.get', ` ${members.type}`, null, 1, []],
      undefined,
    ].map((value) => says({ type: value })),
    'another challenge': [
      ...[base64Url('another challenge'), `${CHALLENGE}=`, `${CHALLENGE}A`, CHALLENGE.slice(0, -1)],
      ...[CHALLENGE.toLowerCase(), ` ${CHALLENGE}`, `${CHALLENGE}\n`, '', null, 7, [CHALLENGE]],
      ...[{ toString: CHALLENGE }, `${CHALLENGE.slice(0, -1)}x`, undefined],
    ].map((challenge) => says({ challenge })),
    'another origin': [...OTHER_ORIGINS, null, 1, [ORIGIN], {}, undefined].map((origin) =>
      says({ origin }),
    ),
    'another origin that is ours': [says({ origin: 'https://www.example.com' })],
    'a frame of another site': [says({ crossOrigin: true })],
    'a frame of another site, said in another way': ['true', 1, {}, [], 'false'].map(
      (crossOrigin) => says({ crossOrigin }),
    ),
    'nothing that counts as a frame': ['', 0, null].map((crossOrigin) => says({ crossOrigin })),
    'nothing of frames': [says({ crossOrigin: undefined })],
    'an origin at the top': [ORIGIN, 'https://attacker.example', ' ', 1, {}, []].flatMap(
      (topOrigin) =>
        [true, false, undefined].map((crossOrigin) => says({ crossOrigin, topOrigin })),
    ),
    'an origin at the top that is nothing': ['', null, 0, false].flatMap((topOrigin) =>
      [true, false].map((crossOrigin) => says({ crossOrigin, topOrigin })),
    ),
    'token binding, as it was': [
      { status: 'supported' },
      { status: 'present', id: 'AA' },
      null,
    ].map((tokenBinding) => says({ tokenBinding })),
    'token binding, as it never was': ['x', { status: 'other' }, 7, {}, true].map((tokenBinding) =>
      says({ tokenBinding }),
    ),
    'unknown members': [
      { other_keys_can_be_added_here: 'do not compare clientDataJSON against a template' },
      { extraData: { deep: [1, 2, [3]] }, remoteClientDataJSON: 'x' },
      { androidPackageName: 'com.android.chrome' },
      { hashAlgorithm: 'SHA-256', clientExtensions: {} },
    ].map(says),
    'a member that is not a member': [
      writes(`{"__proto__":${good}}`),
      writes(`{"__proto__":{"crossOrigin":true},${good.slice(1)}`),
      writes(`{"constructor":{},"toString":1,${good.slice(1)}`),
    ],
    'a member twice, the last one bad': [
      twice(members, { type: other }),
      twice(members, { challenge: base64Url('another') }),
      twice(members, { origin: 'https://attacker.example' }),
    ],
    'a member twice, the last one of frames': [twice(members, { crossOrigin: true })],
    'a member twice, the last one good': [
      twice({ type: other }, members),
      twice({ challenge: base64Url('another') }, members),
      twice({ origin: 'https://attacker.example' }, members),
      twice({ crossOrigin: true }, members),
    ],
    'members in another order': [
      writes(JSON.stringify(Object.fromEntries(Object.entries(members).reverse()))),
    ],
    'other JSON of the same members': [
      writes(JSON.stringify(members, null, 2)),
      writes(` \n\t${good}\r\n`),
      writes(good.replace('"type"', '"\\u0074ype"')),
      writes(good.replace('https:', 'https\\u003a')),
      writes(good.replaceAll('/', '\\/')),
    ],
    'a byte order mark': [bytes([0xef, 0xbb, 0xbf], good)],
    'two byte order marks': [bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], good)],
    'bytes that are not UTF-8 in an unknown member': [
      bytes(`{"extra":"`, [0xff, 0xfe], `",${good.slice(1)}`),
      bytes(`{"extra":"`, [0xed, 0xa0, 0x80], `",${good.slice(1)}`),
    ],
    'bytes that are not UTF-8 in an origin': [
      bytes(good.slice(0, good.indexOf('https')), [0xc0], good.slice(good.indexOf('https'))),
    ],
    'no JSON': [
      ...['', ' ', '{', '}', '{}', '[]', 'null', 'true', '7', '"text"', 'undefined', 'NaN', '\0'],
      ...[`${good}x`, `${good}${good}`, `${good}\0`, good.slice(1), good.replace(',', ',,')],
      ...[good.replaceAll('"', "'"), `${good.slice(0, -1)},}`, `// ${good}`, `[${good}]`],
      ...[JSON.stringify(good), `${good.slice(0, -1)}//\n}`, `{"a":${'['.repeat(3_000)}`],
    ].map(writes),
    'JSON in UTF-16': [writes(Buffer.from(good, 'utf16le'))],
    'deep JSON': [writes(`{"a":${'['.repeat(500)}${']'.repeat(500)},${good.slice(1)}`)],
    'cut JSON': Array.from({ length: good.length }, (_, length) => writes(good.slice(0, length))),
    'a great many bytes': [says({ extra: 'x'.repeat(8 * 1024) })],
    'many bytes': [says({ extra: 'x'.repeat(4 * 1024) })],
  }
}
