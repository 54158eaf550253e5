import { describe, expect, it } from 'vitest'
import { areMatching, isIssuer, readWorkloads, type Workload } from './read-workloads.js'

const issuer = 'https://oidc.cluster.example/id/1'

/** The fault of a workload; `undefined`: it has none. */
function wrongIn(workload: object): string | undefined {
  const read = readWorkloads([{ issuer, claims: { sub: 'x' }, ...workload }])
  return typeof read === 'string' ? read : undefined
}

const rulesOf = (claims: unknown): Workload => {
  const [workload] = readWorkloads([{ issuer, claims }]) as [Workload]
  return workload
}

const isMatching = (claims: Record<string, unknown>, rules: unknown) =>
  areMatching(claims, rulesOf(rules))

const OWNERS: Record<string, readonly string[]> = {
  'token.actions.githubusercontent.com': [
    ...['repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'sub'],
  ],
  'gitlab.com': ['project_id', 'project_path', 'namespace_id', 'namespace_path', 'sub'],
  'app.terraform.io': [
    ...['terraform_organization_id', 'terraform_organization_name', 'terraform_project_id'],
    ...['terraform_workspace_id', 'sub'],
  ],
  'accounts.google.com': ['sub', 'email'],
}
const whole = 'repo:octo-org/octo-repo:ref:refs/heads/main'

describe.each(Object.entries(OWNERS))('at %s, where strangers have jobs too', (host, names) => {
  const at = (claims: object) => wrongIn({ issuer: `https://${host}/own`, claims })

  it.each(names)('%s names the owner by its whole value', (name) => {
    expect(at({ ref: 'main', [name]: whole })).toBeUndefined()
    expect(at({ ref: 'main', [name]: [whole, `${whole}2`] })).toBeUndefined()
  })

  it.each(names)('attack: a beginning of %s, or a yes or no, would hold for strangers', (name) => {
    for (const value of [{ startsWith: whole }, true, false, [whole, true]]) {
      expect(at({ ref: 'main', [name]: value })).toContain(host)
    }
  })

  it('attack: no other claim names an owner', () => {
    for (const name of ['ref', 'environment', 'aud', 'job_workflow_ref', 'Sub', 'owner']) {
      expect(at({ [name]: whole })).toMatch(`${host}, where strangers have jobs too`)
      expect(at({ [name]: whole })).toContain(names.join(', '))
    }
  })
})

describe('the `sub` of a job at GitHub', () => {
  const at = (sub: unknown) =>
    wrongIn({ issuer: 'https://token.actions.githubusercontent.com', claims: { sub } })

  it.each(['repo', 'repository', 'repository_id', 'repository_owner', 'repository_owner_id'])(
    'names an owner by %s',
    (name) => {
      expect(at(`${name}:x`)).toBeUndefined()
    },
  )

  it.each([
    ...['environment:production', 'job_workflow_ref:x', 'repository_visibility:private', 'repo'],
    ...['xrepo:x', 'repos:x', 'x repo:x', 7, ['repo:x', 'environment:production']],
  ])('attack: names none: %j', (sub) => {
    expect(at(sub)).toContain('sub (which begins with the repository or its owner)')
  })

  it('is the only claim with this form', () => {
    const claims = { repository: 'octo-org/octo-repo' }
    expect(
      wrongIn({ issuer: 'https://token.actions.githubusercontent.com', claims }),
    ).toBeUndefined()
  })

  it('has this form at GitHub alone', () => {
    const claims = { sub: 'environment:production' }
    expect(wrongIn({ issuer: 'https://gitlab.com', claims })).toBeUndefined()
    expect(wrongIn({ issuer: 'https://gitlab.com', claims: { ref: 'x' } })).toMatch(/, sub$/)
  })
})

describe('a workload', () => {
  it('is read from a list or from its JSON', () => {
    const entry = { issuer, audience: 'latchkey', claims: { a: [1, 'x', true] }, reuse: true }
    const jwksUri = 'https://keys.example/jwks'
    for (const value of [[{ ...entry, jwksUri }], JSON.stringify([{ ...entry, jwksUri }])]) {
      expect(readWorkloads(value)).toEqual([
        {
          ...{ issuer, audience: 'latchkey', jwksUri, isReused: true },
          claims: new Map([['a', { values: [1, 'x', true] }]]),
        },
      ])
    }
    expect(readWorkloads([{ issuer, claims: { b: { startsWith: 'x' } } }])).toEqual([
      {
        ...{ issuer, audience: undefined, jwksUri: undefined, isReused: false },
        claims: new Map([['b', { startsWith: 'x' }]]),
      },
    ])
  })

  it('there are 1 to 20', () => {
    const many = (length: number) => Array.from({ length }, () => ({ issuer, claims: { a: 1 } }))
    expect(readWorkloads(many(20))).toHaveLength(20)
    for (const value of [[], many(21), {}, 'x', '{}', '[]', null, undefined, { length: 1 }]) {
      expect(readWorkloads(value)).toBe('must be an array of 1 to 20 workloads')
    }
  })

  it.each([[undefined], [null], ['x'], [7], [[]]])('is an object: not %j', (value) => {
    expect(readWorkloads([value])).toBe('must have objects alone')
  })

  it.each<[object, RegExp]>([
    [{ allow: true }, /another member than issuer, jwksUri, audience, claims, reuse$/],
    [{ issuer: undefined }, /must name the `issuer`/],
    [{ jwksUri: 'http://keys.example' }, /`jwksUri` that is not https/],
    [{ jwksUri: 7 }, /`jwksUri` that is not https/],
    [{ audience: '' }, /`audience` that is not a text/],
    [{ audience: ['x'] }, /`audience` that is not a text/],
    [{ audience: 'x'.repeat(1_025) }, /`audience` that is not a text/],
    [{ reuse: 'true' }, /`reuse` that is neither true nor false/],
    [{ reuse: null }, /`reuse` that is neither true nor false/],
  ])('is named by its fault: %j', (changes, message) => {
    expect(wrongIn(changes)).toMatch(message)
  })

  it('has an audience of 1,024 characters at most', () => {
    expect(wrongIn({ audience: 'x'.repeat(1_024) })).toBeUndefined()
  })
})

describe('rules', () => {
  const many = (length: number, value: unknown) =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`claim${at}`, value]))

  it.each([
    ...[undefined, null, 'sub', [], ['sub'], {}, many(21, 'x'), { '': 'x' }],
    ...[{ a: '' }, { a: null }, { a: [] }, { a: [''] }, { a: ['x', null] }, { a: [['x']] }],
    ...[{ a: { startsWith: '' } }, { a: { startsWith: 7 } }, { a: { startsWith: 'x', ends: 'y' } }],
    ...[{ a: {} }, { a: Number.NaN }, { a: Number.POSITIVE_INFINITY }, { a: 'x'.repeat(1_025) }],
    ...[{ a: Array.from({ length: 21 }, (_, at) => at) }, { a: { startsWith: 'x'.repeat(1_025) } }],
    ...[
      { good: 'x', a: '' },
      { a: '', good: 'x' },
    ],
  ])('attack: rules that compare nothing: %j', (claims) => {
    expect(wrongIn({ claims })).toMatch(/what 1 to 20 claims are/)
  })

  it('have at most 20 claims, 20 values and 1,024 characters', () => {
    for (const claims of [
      many(20, 'x'),
      { a: Array.from({ length: 20 }, (_, at) => at) },
      { a: 'x'.repeat(1_024) },
      { a: [2 ** 53 - 1, 1.5, -7, 0] },
    ]) {
      expect(wrongIn({ claims })).toBeUndefined()
    }
  })

  it('attack: a number that JSON reads as its neighbor is refused', () => {
    for (const a of [2 ** 53, -(2 ** 53), [1, 2 ** 60]]) {
      expect(wrongIn({ claims: { a } })).toMatch(/what 1 to 20 claims are/)
    }
    expect(wrongIn({ claims: { a: [2 ** 53 - 1, 1.5, -7, 0] } })).toBeUndefined()
  })

  it('hold together', () => {
    const rules = { a: 'x', b: [1, 2], c: { startsWith: 'y/' } }
    const all = { a: 'x', b: 2, c: 'y/z' }
    expect(isMatching(all, rules)).toBe(true)
    for (const name of Object.keys(all)) {
      for (const value of [undefined, null, '', 'X', 3, ['x'], [1], ['y/z'], 'zy/', 'y']) {
        expect([name, value, isMatching({ ...all, [name]: value }, rules)]).toEqual([
          ...[name, value, false],
        ])
      }
    }
  })

  it('attack: a claim of the prototype matches none', () => {
    const claims: Record<string, unknown> = Object.create({ a: 'x', b: 'y/z' })
    expect(isMatching(claims, { a: 'x' })).toBe(false)
    expect(isMatching(claims, { b: { startsWith: 'y' } })).toBe(false)
  })
})

describe('an issuer', () => {
  it.each([issuer, 'https://issuer.example', 'https://issuer.example/', 'http://localhost:9000'])(
    'may be %s',
    (value) => {
      expect(isIssuer(value)).toBe(true)
    },
  )

  it.each([
    ...[undefined, null, 7, ['https://issuer.example'], '', 'issuer', 'http://issuer.example'],
    ...['ftp://issuer.example', 'https://issuer.example?x', 'https://issuer.example?'],
    ...['https://issuer.example#x', 'https://issuer.example#', 'https://a@issuer.example'],
    ...['https://:b@issuer.example', ' https://issuer.example', 'https://issuer.example\n'],
    ...['https://issuer.example/a b', `https://issuer.example/${'x'.repeat(1_003)}`],
  ])('attack: is not %j', (value) => {
    expect(isIssuer(value)).toBe(false)
  })
})
