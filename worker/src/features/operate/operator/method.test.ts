import { describe, expect, it } from 'vitest'
import { METHOD_TABLE, OPERATIONS } from '../../../service/operations.js'
import { operatorMethod } from './method.js'

/** A body as `readBody` gives it. */
const body = (text: string) => Object.assign(Object.create(null), JSON.parse(text))
const read = (name: string, text: string) => operatorMethod(METHOD_TABLE, name)?.read(body(text))

describe('a body of the operator API', () => {
  it('becomes the arguments of the method', () => {
    expect(read('listWays', '{"sub":"ada"}')).toEqual(['ada'])
    expect(read('disconnect', '{"provider":"github","sub":"ada"}')).toEqual(['ada', 'github'])
    expect(read('endSessions', '{"sub":"ada"}')).toEqual([{ sub: 'ada' }])
    expect(read('endSessions', '{"sub":"ada","except":"s1"}')).toEqual([
      { sub: 'ada', except: 's1' },
    ])
  })

  it('keeps an id of an app as it is', () => {
    for (const sub of ['a/b', 'a\nb', 'a\u202eb', '../..', ' ', '😀'.repeat(255)]) {
      expect(read('listWays', JSON.stringify({ sub }))).toEqual([sub])
    }
  })

  it.each([
    ['{}', 'sub'],
    ['{"sub":""}', 'sub'],
    ['{"sub":null}', 'sub'],
    ['{"sub":["secret"]}', 'sub'],
    [JSON.stringify({ sub: 'secret'.repeat(50) }), 'sub'],
    ['{"sub":"secret","provider":"secret"}', 'provider'],
    ['{"sub":"secret","__proto__":{"sub":"secret"}}', '__proto__'],
    ['{"constructor":{"prototype":{}},"sub":"secret"}', 'constructor'],
    ['{"toString":"secret"}', 'toString'],
  ])('attack: %s names the member and repeats no value', (text, member) => {
    expect(() => read('listWays', text)).toThrow(TypeError)
    expect(() => read('listWays', text)).toThrow(member)
    expect(() => read('listWays', text)).not.toThrow(/secret/)
  })

  it('names the member of an object too', () => {
    expect(() => read('endSessions', '{"except":"s1"}')).toThrow('sub')
    expect(() => read('endSessions', '{"sub":"ada","except":1}')).toThrow('except')
    expect(() => read('disconnect', '{"sub":"ada","provider":{}}')).toThrow('provider')
  })

  it('attack: the name of an unknown member is short and is one line', () => {
    const text = JSON.stringify({ [`a\n\u202e${'x'.repeat(300)}`]: 1 })
    expect(() => read('listWays', text)).toThrow(`listWays has no member "a??${'x'.repeat(29)}".`)
  })
})

it.each(['toString', '__proto__', 'constructor', '', 'getAccessToken', 'fetch', 'LISTWAYS'])(
  'attack: the operator API has no method %o',
  (name) => {
    expect(operatorMethod(METHOD_TABLE, name)).toBeUndefined()
  },
)

it('gives no token of a provider, and makes no key', () => {
  const without = Object.keys(OPERATIONS).filter((name) => !operatorMethod(METHOD_TABLE, name))
  expect(without).toEqual([
    'listApps',
    'endApp',
    'createKey',
    'listKeys',
    'endKey',
    'getAccessTokenOf',
  ])
})

describe('each method', () => {
  const methods = Object.keys(OPERATIONS).flatMap((name) => {
    const method = operatorMethod(METHOD_TABLE, name)
    // Queries are checked by the methods themselves.
    return method && name !== 'audit' && name !== 'findPerson' ? [[name, method] as const] : []
  })
  const members = methods.flatMap(([name, method]) =>
    method.members.map((member) => [name, member.replace('?', ''), member, method] as const),
  )
  const bodyOf = (names: readonly string[]) =>
    Object.assign(
      Object.create(null),
      Object.fromEntries(names.map((name) => [name.replace('?', ''), 'a'])),
    )

  it.each(methods)('%s takes its members', (_, method) => {
    expect(() => method.read(bodyOf(method.members))).not.toThrow()
    const needed = method.members.filter((member) => !member.endsWith('?'))
    expect(() => method.read(bodyOf(needed))).not.toThrow()
  })

  it.each(members)(
    '%s names %s if it is wrong, and repeats no value',
    (name, member, key, { members, read }) => {
      const others = members.filter((one) => one !== key)
      const wrong = [{ a: 'a-secret' }, ['a-secret'], 1, null, '', 'a-secret'.repeat(50)]
      for (const value of wrong) {
        const body = Object.assign(bodyOf(others), { [member]: value })
        expect(() => read(body), `${name} ${JSON.stringify(value)}`).toThrow(member)
        expect(() => read(body)).not.toThrow(/a-secret/)
      }
      if (!key.endsWith('?')) expect(() => read(bodyOf(others))).toThrow(member)
    },
  )
})
