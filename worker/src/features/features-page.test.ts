import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MEMBERS } from '../config/manifests.js'
import { all as builtIn } from './all.js'
import { authorizationServer } from './authorization-server/index.js'
import { companies } from './companies/index.js'
import { newBrowsers } from './new-browsers/index.js'
import { operate } from './operate/index.js'
import { passwords } from './passwords/index.js'

const all = [...builtIn, authorizationServer(), passwords, companies(), newBrowsers, operate()]

const docs = join(import.meta.dirname, '../../../docs')
const page = readFileSync(join(docs, 'features.md'), 'utf8')

/** The code spans in a cell of a table. */
const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code).sort()

it('docs/features.md says what each feature needs', () => {
  const lines = page.split('\n').filter((line) => /^\| `[a-z-]+` \| .* \| .* \| .*\|$/.test(line))
  const said = lines.map((line) => {
    const cells = line.split(' | ')
    return { name: codeIn(cells[0]).join(), needs: codeIn(cells.at(-1)) }
  })
  const features = all.map(({ name, needs = [] }) => ({
    name,
    needs: needs.map((one) => one.name).sort(),
  }))
  expect(said).toEqual(features.sort((a, b) => (a.name < b.name ? -1 : 1)))
})

it('docs/features.md says which features only the shipped Worker has', () => {
  const listed = all.filter((feature) => !builtIn.includes(feature))
  const [, said = ''] = /has all but ([^.]+)\./.exec(page) ?? []
  expect(codeIn(said)).toEqual(listed.map(({ name }) => name).sort())
})

it('docs/storage.md names each member of a person’s document', () => {
  const [, ofPerson = ''] = readFileSync(join(docs, 'storage.md'), 'utf8').split('\nThe document ')
  const said = codeIn(ofPerson.split('\n## ')[0])
  expect(Object.keys(MEMBERS).filter((member) => !said.includes(member))).toEqual([])
})
