import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { generatedFiles } from './generated-files.ts'
import { presetPages, readPresets } from './presets.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const presets = readPresets(root)

test('nothing that is generated is out of date, otherwise run: npm run generate', () => {
  const outdated = [...generatedFiles(root)].filter(
    ([path, text]) => (existsSync(join(root, path)) ? read(path) : undefined) !== text,
  )
  expect(outdated.map(([path]) => path)).toEqual([])
})

test.each(presets)('the preset $id is documented, and its variables are listed', (preset) => {
  const { id, prefix } = preset
  const [row = ''] = read('docs/providers.md').match(rowOf(id)) ?? []
  expect(row.split('|')).toHaveLength(8)
  expect(read('worker/README.md')).toContain(`\`${id}\``)
  expect(read('.dev.vars.example')).toMatch(new RegExp(`^(?:# )?${prefix}_ID=`, 'm'))
  const sections = presetPages(root)
    .map((page) => read(`docs/${page}`))
    .join('')
  expect(sections).toContain(`{origin}/auth/callback/${id}`)
  expect(sections).toContain(`\`${prefix}_ID\``)
})

function rowOf(id: string): RegExp {
  return new RegExp(`^\\| \\[.*\\| \`${id}\`.*$`, 'm')
}

test('settings of one example are found by name, and those written by hand are not repeated', () => {
  const settings = read('.dev.vars.example')
  expect(settings).toContain('\n# AUTH_GITLAB_ISSUER=https://gitlab.example.com\n')
  expect(settings.match(/^(?:# )?AUTH_VIDEO_ID=/gm)).toHaveLength(1)
})

describe('a preset that is added', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-generate-'))
    mkdirSync(join(folder, 'worker/src/providers'), { recursive: true })
    mkdirSync(join(folder, 'docs'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const add = (id: string, source = '') =>
    writeFileSync(join(folder, `worker/src/providers/${id}.ts`), source)
  const document = (text: string) => writeFileSync(join(folder, 'docs/presets.md'), text)
  const section = (id: string, prefix: string) =>
    [
      `## The ${id}`,
      '',
      `- Redirect URI: \`{origin}/auth/callback/${id}\``,
      `- Variables: \`${prefix}_ID\`, \`${prefix}_SECRET\` (a`,
      `  secret), \`${prefix}_ISSUER=https://example.com\``,
      '- `email`: verified; vouched for: always; refresh token: always; one; two',
      '',
      '',
    ].join('\n')

  it('is read from its section, and its lines may wrap', () => {
    add('new-one')
    document(section('new-one', 'AUTH_NEW_ONE'))
    expect(readPresets(folder)).toEqual([
      {
        id: 'new-one',
        prefix: 'AUTH_NEW_ONE',
        page: 'presets.md',
        title: 'The new-one',
        variables: new Map([
          ['AUTH_NEW_ONE_ID', ''],
          ['AUTH_NEW_ONE_SECRET', ''],
          ['AUTH_NEW_ONE_ISSUER', 'https://example.com'],
        ]),
        email: 'verified',
        vouches: 'always',
        refreshToken: 'always',
        special: 'one; two',
      },
    ])
  })

  it('is listed after the presets with a fixed place, and before the generic one', () => {
    const ids = ['oidc', 'zzz', 'aaa', 'cognito', 'google']
    for (const id of ids) add(id)
    document(ids.map((id) => section(id, `AUTH_${id.toUpperCase()}`)).join(''))
    expect(readPresets(folder).map(({ id }) => id)).toEqual([
      'google',
      'cognito',
      'aaa',
      'zzz',
      'oidc',
    ])
  })

  it('may name the prefix of its variables', () => {
    add('new', "  const preset = {\n    id: 'new',\n    variables: 'AUTH_OTHER',\n  }")
    document(section('new', 'AUTH_OTHER'))
    expect(readPresets(folder)[0]?.prefix).toBe('AUTH_OTHER')
  })

  it.each([
    ['no section', section('other', 'AUTH_OTHER'), 'no section for new'],
    ['the variables of another', section('new', 'AUTH_OTHER'), 'AUTH_NEW_ID'],
    ['no word about its address', section('new', 'AUTH_NEW').replace('`email`', 'x'), '`email`'],
    [
      'no issuer that vouches for it',
      section('new', 'AUTH_NEW').replace('vouched for', 'x'),
      'vouched for',
    ],
  ])('is refused with %s', (_, text, reason) => {
    add('new')
    document(text)
    expect(() => readPresets(folder)).toThrow(reason)
  })
})
