import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { MEMBERS } from '../../config/manifests.js'
import { json } from '../../http/outcome.js'
import { changePerson, readPerson } from '../../person/documents.js'
import type { Feature } from '../../service/feature.js'
import { signedIn } from '../../session/read.js'
import { type Browser, errorOf } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { people } from '../../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

declare module '../../person/person.js' {
  interface Person {
    /** A member of the feature of these tests, which another feature of an app could have. */
    readonly notes?: readonly string[]
  }
}

// As the manifest of that feature would say.
const members: Record<string, string> = MEMBERS
beforeAll(() => {
  members.notes = 'noting'
})
afterAll(() => {
  delete members.notes
})

/** Keeps notes of a person, but says nothing of merges. */
const noting: Feature = {
  name: 'noting',
  pages: {
    routes: {
      '/notes': {
        async GET(request) {
          const { sub = '' } = (await signedIn(request)) ?? {}
          const text = request.query.get('add')
          if (text) {
            await changePerson(request, sub, (person) =>
              person ? { ...person, notes: [...(person.notes ?? []), text] } : undefined,
            )
          }
          return json((await readPerson(request, sub)).person?.notes ?? [])
        },
        isData: true,
      },
    },
  },
}

const moving: Feature = {
  ...noting,
  person: {
    merged: (into, from) => {
      const more = (from.notes ?? []).filter((note) => !into.notes?.includes(note))
      return more.length === 0 ? into : { ...into, notes: [...(into.notes ?? []), ...more] }
    },
  },
}

const notesOf = async (one: Browser, add = '') =>
  (await one.get(`/auth/notes?${new URLSearchParams({ add })}`)).json()

/** Two people who each have two ways, so that each has a list, and notes of the second one. */
async function withNotes(feature: Feature) {
  const world = people({ ways: { merge: true }, features: [feature] })
  const { signIn, add } = world
  const ada = await signIn('email', 'ada@new.example')
  await add(ada, 'one', 'ada')
  const old = await signIn('email', 'ada@old.example')
  await add(old, 'two', 'x')
  pass(1)
  return { ...world, ada, old }
}

describe('a member of a feature and a merge', () => {
  it('attack: a person sheds what a feature knows of them by becoming another one', async () => {
    const { ada, old, add, signIn } = await withNotes(noting)
    expect(await notesOf(old, 'is blocked')).toEqual(['is blocked'])
    expect(errorOf(await add(ada, 'two', 'x'))).toBe('/auth/signin OAuthAccountNotLinked')
    expect(await notesOf(ada)).toEqual([])
    expect(await notesOf(await signIn('two', 'x'))).toEqual(['is blocked'])
  })

  it('people without the member merge', async () => {
    const { ada, add } = await withNotes(noting)
    expect(await notesOf(ada, 'hers')).toEqual(['hers'])
    expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
    expect(await notesOf(ada)).toEqual(['hers'])
  })

  it('the feature moves its member', async () => {
    const { ada, old, add, signIn } = await withNotes(moving)
    await notesOf(ada, 'hers')
    await notesOf(old, 'of before')
    expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
    pass(1)
    expect(await notesOf(ada)).toEqual(['hers', 'of before'])
    expect(await notesOf(await signIn('two', 'x'))).toEqual(['hers', 'of before'])
  })

  it.each(Array.from({ length: 12 }, (_, at) => at))(
    'a merge whose change %i fails and that goes on has moved it once',
    async (at) => {
      const { ada, old, add, signIn, faults, inner } = await withNotes(moving)
      await notesOf(ada, 'hers')
      await notesOf(old, 'of before')
      let changes = 0
      faults.set('changeDocument', (...args) =>
        changes++ === at
          ? fails()
          : (inner.ledger.changeDocument as (...all: unknown[]) => Promise<unknown>)(...args),
      )
      await add(ada, 'two', 'x')
      faults.delete('changeDocument')
      pass(1)
      // The next proof finishes what has begun.
      await add(ada, 'two', 'x')
      expect(await notesOf(await signIn('two', 'x'))).toEqual(['hers', 'of before'])
      expect(await notesOf(ada)).toEqual(['hers', 'of before'])
    },
  )
})
