import { describe, expect, it } from 'vitest'
import { companyAt } from '../../test-support/companies.js'
import { entryOfVariables, readCompany } from './read-company.js'

const read = (changes: object) => readCompany({ ...companyAt('acme'), ...changes })

describe('the entry of a company', () => {
  it('is read member by member', () => {
    expect(readCompany(companyAt('acme'))).toEqual({
      id: 'acme',
      name: 'The acme company',
      domains: new Set(['acme.example']),
      issuer: 'https://acme.idp.example',
      clientId: 'client-of-acme',
      clientSecret: 'the-secret-of-acme-which-is-long',
      ...{ isOnly: false, asksToJoin: false, hasFactors: false, acr: [] },
    })
    const all = {
      ...{ only: true, join: true, factors: { acr: ['phr', 'phrh'] }, name: 'A' },
      domains: ['ACME.example', 'bücher.example'],
    }
    expect(read(all)).toMatchObject({
      ...{ isOnly: true, asksToJoin: true, hasFactors: true, acr: ['phr', 'phrh'], name: 'A' },
      domains: new Set(['acme.example', 'xn--bcher-kva.example']),
    })
  })

  it('needs no secret and no name', () => {
    expect(read({ clientSecret: undefined, name: undefined })).toMatchObject({
      clientSecret: undefined,
      name: 'acme',
    })
  })

  it.each([undefined, null, 'acme', 7, ['acme']])('is an object: not %j', (entry) => {
    expect(readCompany(entry)).toEqual({ wrong: 'company' })
  })

  it.each(['', 'Acme', '1acme', '-acme', 'a_b', 'a'.repeat(33), 7, null, undefined, ['acme']])(
    'attack: has an id of another form: %j',
    (id) => {
      expect(read({ id })).toEqual({ wrong: 'id' })
    },
  )

  it('has two factors if it says so', () => {
    expect(read({ factors: true })).toMatchObject({ hasFactors: true, acr: [] })
    expect(read({ factors: false })).toMatchObject({ hasFactors: false, acr: [] })
  })

  it.each([
    ...[
      { domains: undefined },
      { domains: [] },
      { domains: 'acme.example' },
      { domains: { 0: 'acme.example' } },
    ],
    ...[{ domains: ['acme.example', 7] }, { domains: ['acme.example', ''] }],
    ...[{ domains: ['gmail.com', 'acme.example'] }, { domains: ['acme.example', 'github.io'] }],
  ])('attack: is of domains of which one is none, or is everybody’s: %j', (changes) => {
    expect(read(changes)).toEqual({ wrong: 'domains' })
  })

  it('has 50 domains at most', () => {
    const many = (length: number) => Array.from({ length }, (_, at) => `d${at}.example`)
    expect(read({ domains: many(50) })).toMatchObject({ domains: new Set(many(50)) })
    expect(read({ domains: many(51) })).toEqual({ wrong: 'domains' })
  })

  it.each([
    ['clientId', ['c', ' ~', 'x'.repeat(512)]],
    ['clientSecret', ['s', ' ~', 'x'.repeat(2_048)]],
    ['name', ['N', 'x'.repeat(100)]],
    ['only', [true, false]],
    ['join', [true, false]],
    ['factors', [true, false, { acr: ['a'] }, { acr: Array(10).fill('x'.repeat(200)) }]],
  ])('may have as %s: %j', (member, values) => {
    for (const value of values) expect(read({ [member]: value })).not.toHaveProperty('wrong')
  })

  it.each([
    [
      'clientId',
      ['', 7, ['c'], null, undefined, 'x'.repeat(513), 'é', 'a\n', '\u001fa', 'a\u007f'],
    ],
    ['clientSecret', ['', 7, ['s'], null, 'x'.repeat(2_049), 'é', 'a\n', '\u001fa', 'a\u007f']],
    ['name', ['', 7, null, 'x'.repeat(101), 'A\nB']],
    ['only', ['true', 1, null]],
    ['join', ['true', 1, null]],
    ['factors', [null, 'mfa', 1, [], ['a'], {}, { acr: 'a' }, { acr: [] }, { acr: ['a'], x: 1 }]],
    ['factors', [{ acr: Array(11).fill('a') }, { acr: ['a', ''] }, { acr: ['a b'] }]],
    ['factors', [{ acr: ['a', 7] }, { acr: ['x'.repeat(201)] }, { acr: ['a\n'] }, { acr: ['é'] }]],
  ])('may not have as %s: %j', (member, values) => {
    for (const value of values) {
      expect([value, read({ [member]: value })]).toEqual([value, { wrong: member }])
    }
  })

  it('has no other member', () => {
    expect(read({ admin: undefined })).toEqual({ wrong: 'an unknown member' })
  })
})

describe('the issuer of a company', () => {
  const tenant = '11111111-2222-3333-4444-555555555555'

  it.each([
    ['https://acme.idp.example', 'https://acme.idp.example'],
    ['https://acme.idp.example/', 'https://acme.idp.example'],
    ['https://acme.idp.example/realms/a', 'https://acme.idp.example/realms/a'],
    ['https://acme.idp.example/realms/a/', 'https://acme.idp.example/realms/a'],
    ['https://acme.idp.example:8443', 'https://acme.idp.example:8443'],
    ['http://localhost:9000', 'http://localhost:9000'],
    [
      `https://login.microsoftonline.com/${tenant}/v2.0`,
      `https://login.microsoftonline.com/${tenant}/v2.0`,
    ],
    [
      'https://login.microsoftonline.com/commonplace/v2.0',
      'https://login.microsoftonline.com/commonplace/v2.0',
    ],
    [`https://acme.idp.example/${'x'.repeat(999)}`, `https://acme.idp.example/${'x'.repeat(999)}`],
  ])('%s', (issuer, known) => {
    expect(read({ issuer })).toMatchObject({ issuer: known })
  })

  it.each([
    ...[undefined, null, 7, ['https://acme.idp.example'], '', 'acme', 'https://'],
    ...['http://acme.idp.example', 'ftp://acme.idp.example', 'https://a@acme.idp.example'],
    ...['https://:b@acme.idp.example', 'https://a:b@acme.idp.example', 'https://acme.idp.example?'],
    ...['https://acme.idp.example#', 'https://acme.idp.example/a b', 'https://acme.idp.example\n'],
    ...['https:\\\\acme.idp.example', 'https://ACME.idp.example', 'https://acme.idp.example:443'],
    ...[
      'https://acme.idp.example/a/../b',
      'https://acme.idp.example/.',
      'HTTPS://acme.idp.example',
    ],
    `https://acme.idp.example/${'x'.repeat(1_000)}`,
  ])('attack: in another spelling, or of no provider: %j', (issuer) => {
    expect(read({ issuer })).toEqual({ wrong: 'issuer' })
  })

  it.each(['com', 'us'])('attack: all tenants of login.microsoftonline.%s', (end) => {
    const tenants = ['common', 'organizations', 'consumers', '9188040d-6c67-4c5b-b112-36a304b66dad']
    for (const name of tenants) {
      for (const spelled of [name, name.toUpperCase()]) {
        for (const path of [spelled, `${spelled}/`, `${spelled}/v2.0`]) {
          const issuer = `https://login.microsoftonline.${end}/${path}`
          expect([issuer, read({ issuer })]).toEqual([issuer, { wrong: 'issuer' }])
        }
      }
    }
  })
})

describe('an entry of variables', () => {
  it('has the members that are there', () => {
    expect(entryOfVariables('acme', {})).toStrictEqual({ id: 'acme' })
    expect(
      entryOfVariables('acme', {
        ...{ DOMAINS: ' acme.example \n bolt.example ', ISSUER: 'https://x.example', ID: 'c' },
        ...{ SECRET: 's', NAME: 'Acme', ONLY: 'true', JOIN: 'false', FACTORS: ' phr  phrh ' },
      }),
    ).toEqual({
      ...{ id: 'acme', domains: ['acme.example', 'bolt.example'], issuer: 'https://x.example' },
      ...{ clientId: 'c', clientSecret: 's', name: 'Acme', only: true, join: false },
      factors: { acr: ['phr', 'phrh'] },
    })
  })

  it.each([
    [{ FACTORS: 'true' }, { factors: true }],
    [{ FACTORS: 'false' }, { factors: false }],
    [
      { ONLY: 'false', JOIN: 'true' },
      { only: false, join: true },
    ],
    [{ ONLY: 'yes' }, { only: 'yes' }],
    [{ DOMAINS: 'acme.example' }, { domains: ['acme.example'] }],
  ])('%j', (variables, entry) => {
    expect(entryOfVariables('acme', variables)).toEqual({ id: 'acme', ...entry })
  })
})
