import { describe, expect, it } from 'vitest'
import type { TokenSource } from '../../http/kind.js'
import { scopesIn, scopeToAsk } from './scopes.js'

const source = (changes: Partial<TokenSource> = {}): TokenSource => ({
  revokeOnSignOut: false,
  scope: 'basic',
  moreScopes: ['list', 'publish'],
  scopeSeparator: ' ',
  connect: () => Promise.reject(new Error('not asked')),
  ...changes,
})

describe('the scopes that are asked for when a way is added', () => {
  it.each<[string, string | undefined, unknown, string]>([
    ['nothing is named', undefined, undefined, 'basic'],
    ['a listed scope is named', undefined, 'list', 'basic list'],
    ['two are named, with a comma', undefined, 'publish,list', 'basic publish list'],
    ['more was granted before', 'basic publish', 'list', 'basic list publish'],
    ['it was granted with commas', 'basic,publish', undefined, 'basic publish'],
    ['the same is named twice', 'list', 'list list', 'basic list'],
  ])('%s', (_, granted, named, asked) => {
    expect(scopeToAsk(source(), granted, named)).toBe(asked)
  })

  it.each<[string, unknown]>([
    ['a scope that is not listed', 'admin'],
    ['one that begins alike', 'listing'],
    ['one in another case', 'LIST'],
    ['a list', ['list']],
    ['an object', { list: true }],
    ['a number', 1],
    ['a name of the prototype', 'constructor'],
  ])('a stranger’s form that names %s adds nothing', (_, named) => {
    expect(scopeToAsk(source(), undefined, named)).toBe('basic')
  })

  it('stands with commas if the provider wants them', () => {
    const videoapp = source({ scopeSeparator: ',' })
    expect(scopeToAsk(videoapp, 'basic,list', 'publish list')).toBe('basic,publish,list')
  })

  it('is left out if the provider knows no scopes', () => {
    expect(scopeToAsk(source({ scope: undefined, moreScopes: [] }), '', 'list')).toBeUndefined()
  })

  it('an endless list of a provider is cut, but not the scope that is needed now', () => {
    const granted = Array.from({ length: 1_000 }, (_, at) => `scope-${at}`).join(' ')
    const asked = scopeToAsk(source(), granted, 'list') ?? ''
    expect([asked.startsWith('basic list scope-0'), asked.length <= 1_000]).toEqual([true, true])
  })
})

it('scopes with quotes, controls or other letters are invalid (RFC 6749, section 3.3)', () => {
  expect(scopesIn('a "b" c\\d é a\u0000b https://x.example/y')).toEqual([
    'a',
    'https://x.example/y',
  ])
})
