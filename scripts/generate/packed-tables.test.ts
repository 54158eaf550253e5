import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packedTables, tableApart } from './packed-tables.ts'

const PATH = 'worker/src/languages/packed/xx.ts'

describe('a table of a language', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'latchkey-languages-'))
    mkdirSync(join(root, 'languages'), { recursive: true })
    mkdirSync(join(root, 'worker/src/languages/packed'), { recursive: true })
    const english = "export const texts = () => ({ a: { one: '1', two: '2' }, b: { three: '3' } })"
    writeFileSync(join(root, 'worker/src/languages/english.ts'), english)
    const texts =
      "export const texts: object = { b: { three: 'III' }, a: { five: { one: 'V', other: 'VV' }, two: 'II' } }"
    writeFileSync(join(root, 'languages/xx.ts'), texts)
    mkdirSync(join(root, 'worker/src/features/more'), { recursive: true })
    const more = "export const texts = () => ({ c: { four: '4' }, a: { five: '5' } })"
    writeFileSync(join(root, 'worker/src/features/more/texts.ts'), more)
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const packed = () => new Map(packedTables(root)).get(PATH) ?? ''
  const valuesIn = (text: string) => {
    const [, base64 = ''] = /'([^']*)'\n$/.exec(text) ?? []
    return inflateSync(Buffer.from(base64, 'base64')).toString()
  }

  it('is packed in the order of the English ones, by feature, and lists its missing texts', () => {
    expect(valuesIn(packed())).toBe('\nII\nIII\f\none\tV\tother\tVV')
  })

  it('has the texts of a feature that comes by import apart, all languages together, each after its tag', () => {
    const yy = "export const texts: object = { a: { five: 'FÜNF' }, c: { four: 'VIER' } }"
    writeFileSync(join(root, 'languages/yy.ts'), yy)
    const [path, text] = tableApart(root, 'more')
    expect(path).toBe('worker/src/features/more/translations.ts')
    expect(valuesIn(text)).toBe('xx\n\none\tV\tother\tVV\fyy\nVIER\nFÜNF')
  })

  it('is packed again only if it says something else', () => {
    const fresh = packed()
    const [, base64 = ''] = /'([^']*)'\n$/.exec(fresh) ?? []
    const other = deflateSync(inflateSync(Buffer.from(base64, 'base64')), { level: 0 })
    const before = fresh.replace(base64, other.toString('base64'))
    writeFileSync(join(root, PATH), before)
    expect(packed()).toBe(before)
    writeFileSync(join(root, PATH), before.replace(/'[^']*'\n$/, "'damaged'\n"))
    expect(packed()).toBe(fresh)
  })
})
