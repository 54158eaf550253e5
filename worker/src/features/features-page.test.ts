import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MEMBERS, PLAIN_PROVIDERS, PROVIDERS, VARIABLE_FORMS } from '../config/feature-names.js'
import { all as builtIn } from './all.js'
import { authorizationServer } from './authorization-server/index.js'
import { operate } from './operate/index.js'

const all = [...builtIn, authorizationServer(), operate()]

const docs = join(import.meta.dirname, '../../../docs')
const page = readFileSync(join(docs, 'features.md'), 'utf8')

/** The code spans in a cell of a table. */
const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code).sort()

it('docs/features.md has a line for each feature, with its options and its needs', () => {
  const lines = page.split('\n').filter((line) => /^\| `[a-z-]+` \| .* \| .* \| .*\|$/.test(line))
  const said = lines.map((line) => {
    const [, name, , asked, needs] = line.split(' | ').join('|').split('|')
    return { name: codeIn(name).join(), asked: codeIn(asked), needs: codeIn(needs) }
  })
  const features = all.map(({ name, options = [], variables = [], needs = [] }) => {
    const kinds = { ...PROVIDERS, ...PLAIN_PROVIDERS }
    const forms = Object.entries(VARIABLE_FORMS).flatMap(([form, { feature }]) =>
      feature === name ? form : [],
    )
    const types = Object.keys(kinds).filter((type) => kinds[type] === name)
    return {
      name,
      asked: [...options, ...variables, ...forms, ...types].sort(),
      needs: needs.map((one) => one.name).sort(),
    }
  })
  expect(said).toEqual(features.sort((a, b) => (a.name < b.name ? -1 : 1)))
})

it('docs/storage.md names each member of a person’s document', () => {
  const [, ofPerson = ''] = readFileSync(join(docs, 'storage.md'), 'utf8').split('\nThe document ')
  const said = codeIn(ofPerson.split('\n## ')[0])
  expect(Object.keys(MEMBERS).filter((member) => !said.includes(member))).toEqual([])
})
