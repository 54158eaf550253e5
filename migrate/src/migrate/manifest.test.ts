import { describe, expect, test } from 'vitest'
import { changeManifest } from './manifest.js'

/** An app of Auth.js, which imports the adapter and no old package any more. */
function changed(text: string, unused = ['@auth/express']): string | undefined {
  return changeManifest(text, new Set(unused), new Set(['@latchkey/express']), '1.2.3')
}

describe('a package.json keeps the layout of its author', () => {
  test.each([
    ['on one line', '{"name":"a","dependencies":{"@auth/express":"1","zod":"4"},"type":"module"}'],
    [
      'on one line, with spaces',
      '{ "name": "a", "dependencies": { "@auth/express": "1", "zod": "4" } }\n',
    ],
    ['on one line, with one dependency', '{"name": "a", "dependencies": {"@auth/express": "1"}}'],
    [
      'as npm writes it',
      '{\n  "name": "a",\n  "dependencies": {\n    "@auth/express": "1",\n    "zod": "4"\n  }\n}\n',
    ],
    ['with tabs', '{\n\t"dependencies": {\n\t\t"@auth/express": "1"\n\t}\n}\n'],
    [
      'with lines of Windows',
      '{\r\n  "dependencies": {\r\n    "@auth/express": "1"\r\n  }\r\n}\r\n',
    ],
    [
      'with a list on one line, and an empty line',
      '{\n  "files": ["dist", "src"],\n\n  "dependencies": { "@auth/express": "1", "zod": "4" },\n  "type": "module"\n}',
    ],
  ])('%s', (_, text) => {
    const line = text.replace('"@auth/express"', '"@latchkey/express"')
    expect(changed(text)).toBe(line.replace(/("@latchkey\/express": ?)"1"/, '$1"^1.2.3"'))
  })

  test('without dependencies they are its last member', () => {
    expect(changed('{"name":"a"}')).toBe(
      '{"name":"a","dependencies":{"@latchkey/express":"^1.2.3"}}',
    )
    expect(changed('{ "name": "a" }\n')).toBe(
      '{ "name": "a", "dependencies": { "@latchkey/express": "^1.2.3" } }\n',
    )
    expect(changed('{\n  "name": "a"\n}\n')).toBe(
      '{\n  "name": "a",\n  "dependencies": {\n    "@latchkey/express": "^1.2.3"\n  }\n}\n',
    )
    expect(changed('{\n  "dependencies": {}\n}\n')).toBe(
      '{\n  "dependencies": {\n    "@latchkey/express": "^1.2.3"\n  }\n}\n',
    )
  })

  test('both groups change, in their own layouts', () => {
    const text =
      '{\n  "devDependencies": { "@auth/core": "1", "b": "2" },\n  "dependencies": {\n    "a": "1"\n  }\n}'
    expect(changed(text, ['@auth/core'])).toBe(
      '{\n  "devDependencies": { "b": "2" },\n  "dependencies": {\n    "@latchkey/express": "^1.2.3",\n    "a": "1"\n  }\n}',
    )
  })

  test('a text in a member that looks like a group is left alone', () => {
    const text = '{"description":"\\"dependencies\\":{}","dependencies":{"@auth/express":"1"}}'
    expect(changed(text)).toBe(
      '{"description":"\\"dependencies\\":{}","dependencies":{"@latchkey/express":"^1.2.3"}}',
    )
  })
})

test.each(['', 'null', '1', '"a"', '{"a":', '// a\n{}'])('%j cannot be read', (text) => {
  expect(changed(text)).toBeUndefined()
})

test('a manifest that needs no change is left as it is', () => {
  const text = '{"dependencies":{"@latchkey/express":"1"  }}'
  expect(changed(text)).toBe(text)
})

test('an array is not a manifest', () => expect(changed('[]')).toBeUndefined())
