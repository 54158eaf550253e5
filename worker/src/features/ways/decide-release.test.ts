import { expect, it } from 'vitest'
import type { Person } from '../../person/person.js'
import { decideRelease } from './decide-release.js'

const way = 'x'
const one = { way, provider: 'two', added: 1, used: 1 }
const person: Person = { ways: [{ ...one, state: 'removing' }] }
const nobody = { taken: [], people: [] }

type Removal = Parameters<typeof decideRelease>[0]

it.each<[string, Partial<Removal>, ReturnType<typeof decideRelease>]>([
  ['that has lost its person', { person: undefined }, { does: 'nothing' }],
  ['that was added again', { person: { ways: [one] } }, { does: 'nothing' }],
  [
    'that has a blocked person',
    { person: { ...person, blocked: { since: 1 } } },
    { does: 'nothing' },
  ],
  ['that is another person’s', { entry: { owner: 'eve' } }, { does: 'leave' }],
  ['that was removed before', { entry: { removed: 'ada' } }, { does: 'free', isKept: true }],
  ['that another removed', { entry: { removed: 'eve' } }, { does: 'free', isKept: false }],
  ['without a document', {}, { does: 'free', isKept: false }],
  ['that was added', { entry: { owner: 'ada' } }, { does: 'write', left: null, isKept: false }],
  [
    'that was added, with unlinked: refuse',
    { entry: { owner: 'ada' }, unlinked: 'refuse' },
    { does: 'write', left: { removed: 'ada' }, isKept: true },
  ],
  [
    'that is the first one by its document',
    { entry: { owner: 'ada', first: true } },
    { does: 'write', left: { removed: 'ada' }, isKept: true },
  ],
  [
    'that is the first one by its name',
    { sub: way },
    { does: 'write', left: { removed: way }, isKept: true },
  ],
  [
    'that is a passkey',
    {
      way: 'passkey:x',
      entry: { owner: 'ada' },
      person: { ways: [{ ...one, way: 'passkey:x', state: 'removing' }] },
      unlinked: 'refuse',
    },
    { does: 'write', left: null, isKept: false },
  ],
  [
    'that brought a person who is blocked now',
    {
      entry: { owner: 'ada' },
      taken: [way],
      people: [{ version: 1, person: { ways: [], mergedInto: 'ada', blocked: { since: 1 } } }],
    },
    { does: 'write', left: { owner: way, first: true }, isKept: false },
  ],
  [
    'that has its own person with a list by now',
    { entry: { owner: 'ada' }, taken: [way], people: [{ version: 1, person: { ways: [one] } }] },
    { does: 'write', left: { removed: way }, isKept: false },
  ],
  [
    'that brought another person',
    {
      entry: { owner: 'ada' },
      taken: [way],
      people: [{ version: 1, person: { ways: [], mergedInto: 'ada' } }],
    },
    { does: 'write', left: null, isKept: false },
  ],
])('the removal of a way %s', (_, changes, decided) => {
  const removal = { sub: 'ada', person, way, entry: undefined, ...nobody, ...changes }
  expect(decideRelease(removal)).toEqual(decided)
})
