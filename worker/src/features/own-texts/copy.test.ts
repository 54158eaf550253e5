import { describe, expect, it } from 'vitest'
import { resolveConfig } from '../../config/resolve-config.js'
import { InvalidConfiguration } from '../../errors.js'
import { all } from '../../languages/all.js'
import { loadWords as load } from '../../languages/load.js'
import type { Ports } from '../../service/ports.js'
import { english } from '../../test-support/english.js'
import type { AuthConfig } from '../../types.js'
import { ownTexts } from './index.js'
import { readCopy as read } from './read-copy.js'

const languages = new Map(all.map((one) => [one.tag, one]))

const refuse = (message: string): never => {
  throw new InvalidConfiguration(message)
}
const readCopy = (copy: unknown, refuse: (message: string) => never) =>
  read(copy, english.words.texts, refuse)
const loadWords = (tag: string, from: typeof languages, copy?: ReturnType<typeof read>) =>
  load(tag, from, copy, english)
const resolve = (copy: unknown, env = {}) => {
  const theme = copy === undefined ? {} : { copy }
  const config = { providers: [], theme } as unknown as AuthConfig
  const { ownTexts: read } = ownTexts.ports as Partial<Ports>
  return resolveConfig(config, env, Date.now, { english, ownTexts: read }).copy
}

describe('texts of the app’s own', () => {
  it('change some of a language, which keeps the others', async () => {
    const copy = readCopy({ de: { signIn: { title: 'Servus' } } }, refuse)
    const { texts, language } = await loadWords('de', languages, copy)
    expect([language, texts.signIn.title, texts.signIn.or]).toEqual(['de', 'Servus', 'oder'])
    expect((await loadWords('en', languages, copy)).texts.signIn.title).toBe('Sign in')
  })

  it('change English as any other', async () => {
    const copy = readCopy({ en: { signIn: { title: 'Hello' } } }, refuse)
    const { texts } = await loadWords('en', languages, copy)
    expect([texts.signIn.title, texts.signIn.or]).toEqual(['Hello', 'or'])
  })

  it('give the page of a site with a name the same title, unless it has one of its own', async () => {
    const titles = async (signIn: object) => {
      const { texts } = await loadWords('en', languages, readCopy({ en: { signIn } }, refuse))
      return [texts.signIn.title, texts.signIn.titleAt]
    }
    expect(await titles({ title: 'Hello' })).toEqual(['Hello', 'Hello'])
    expect(await titles({ titleAt: 'Enter {name}' })).toEqual(['Sign in', 'Enter {name}'])
    expect(await titles({ title: 'Hello', titleAt: 'At {name}' })).toEqual(['Hello', 'At {name}'])
    expect(await titles({ or: '…' })).toEqual(['Sign in', 'Sign in to {name}'])
  })

  it.each([
    ['sv', 'Logga in', 'or', 'ltr'],
    ['de-CH', 'Logga in', 'oder', 'ltr'],
    ['fa', 'Logga in', 'or', 'rtl'],
  ])('add %s, with other texts from the nearest language', async (tag, title, or, dir) => {
    const words = await loadWords(
      tag,
      languages,
      readCopy({ [tag]: { signIn: { title } } }, refuse),
    )
    const { texts } = words
    expect([words.language, words.direction, texts.signIn.title, texts.signIn.or]).toEqual([
      tag,
      dir,
      title,
      or,
    ])
  })

  it('have the tag that BCP 47 writes, however it is written', () => {
    expect([...readCopy({ 'PT-br': {}, iw: {} }, refuse).keys()]).toEqual(['pt-BR', 'he'])
  })

  it.each(['account.signOutAllOpen', 'signIn.newHere', 'factorCode.how'])(
    'may still change %s, which no page shows any more: a deploy must not fail by it',
    (path) => {
      const [section = '', name = ''] = path.split('.')
      expect([...readCopy({ de: { [section]: { [name]: 'x' } } }, refuse).keys()]).toEqual(['de'])
    },
  )

  it('leave the tables as they are', async () => {
    await loadWords('de', languages, readCopy({ de: { signIn: { or: 'or else' } } }, refuse))
    expect((await loadWords('de', languages, undefined)).texts.signIn.or).toBe('oder')
  })
})

describe('a configuration with texts of its own', () => {
  it.each<[string, unknown, string]>([
    ['no object', 'text', ' must be an object.'],
    ['a list', [], ' must be an object.'],
    ['no language', { english_US: {} }, '["english_US"]: a key must be the tag of a language'],
    ['one language by two tags', { he: {}, iw: {} }, '["iw"]: the texts of "he" are there already'],
    ['a language that is text', { de: 'x' }, '["de"] must be an object.'],
    ['a section', { de: { signin: {} } }, '["de"].signin: there is no such section.'],
    ['a section of the prototype', { de: { toString: {} } }, '["de"].toString: there is no such'],
    ['a section that is text', { de: { signIn: 'x' } }, '["de"].signIn must be an object.'],
    ['a text', { de: { signIn: { titel: 'x' } } }, '["de"].signIn.titel: there is no such text.'],
    [
      'header injection: the subject of a mail',
      { de: { mail: { title: 'Hallo\r\nBcc: eve@example.com' } } },
      '["de"].mail.title must be text in one line.',
    ],
    [
      'a line break of Unicode in a form',
      { de: { factor: { codesLeft: { other: '{count}\u2028' } } } },
      '["de"].factor.codesLeft.other must be text in one line.',
    ],
    ['a number', { de: { signIn: { title: 1 } } }, '["de"].signIn.title must be text.'],
    [
      'a parameter',
      { de: { ways: { add: '{provider}' } } },
      '["de"].ways.add: there is no parameter {provider}, only {name}.',
    ],
    [
      'a parameter of a text without any',
      { de: { signIn: { title: '{name}' } } },
      '["de"].signIn.title: there is no parameter {name}.',
    ],
    ['forms', { de: { factor: { codesLeft: 'x' } } }, '["de"].factor.codesLeft must be an object.'],
    [
      'a form',
      { de: { factor: { codesLeft: { other: '{count}', dual: 'x' } } } },
      '["de"].factor.codesLeft.dual: there is no such form of a number.',
    ],
    [
      'the form for all others',
      { de: { factor: { codesLeft: { one: '{count}' } } } },
      '["de"].factor.codesLeft: the form "other" is missing.',
    ],
  ])('is refused at the start if %s is wrong, by its path', (_, copy, message) => {
    expect(() => resolve(copy)).toThrow(InvalidConfiguration)
    expect(() => resolve(copy)).toThrow(`theme.copy${message}`)
    const AUTH_THEME_COPY = JSON.stringify(copy)
    expect(() => resolve(undefined, { AUTH_THEME_COPY })).toThrow(`AUTH_THEME_COPY${message}`)
  })

  it('has them as JSON in AUTH_THEME_COPY, if the configuration has none', () => {
    const AUTH_THEME_COPY = '{"de":{"signIn":{"title":"Servus"}}}'
    expect(resolve(undefined, { AUTH_THEME_COPY })?.get('de')?.signIn?.title).toBe('Servus')
    expect(resolve({ fr: {} }, { AUTH_THEME_COPY })?.has('de')).toBe(false)
    expect(() => resolve(undefined, { AUTH_THEME_COPY: '{"de":' })).toThrow(
      'AUTH_THEME_COPY must be an object.',
    )
  })

  it('costs nothing without', () => {
    expect(resolve(undefined)).toBeUndefined()
  })
})
