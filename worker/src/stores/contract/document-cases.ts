import type { Ledger } from '../ledger/rules.js'
import { type Cases, countOf, equal } from './cases.js'
import { keys } from './mail-cases.js'

const DAY = 86_400

/** Documents that only a caller with the latest version may change. */
export const documentCases: Cases<Ledger> = {
  'one of a hundred changes at once of one version counts': async ({ make }) => {
    const ledger = await make()
    for (const name of keys) {
      const key = `way\n${name}`
      for (const version of [0, 1]) {
        const contents = Array.from({ length: 100 }, (_, at) => `${name} ${version} ${at}`)
        const tries = contents.map((content) => ledger.changeDocument(key, version, content))
        const counted = await Promise.all(tries)
        equal(countOf(counted, true), 1)
        const content = contents[counted.indexOf(true)] ?? ''
        equal(await ledger.document(key), { version: version + 1, content })
      }
    }
  },

  'a document is changed by the caller that read it last, and stays as it is for all others':
    async ({ make }) => {
      const ledger = await make()
      equal(await ledger.document('person\nada'), undefined)
      for (const version of [1, 2, 7]) {
        equal(await ledger.changeDocument('person\nada', version, 'x'), false)
      }
      equal(await ledger.document('person\nada'), undefined)
      equal(await ledger.changeDocument('person\nada', 0, 'one'), true)
      equal(await ledger.changeDocument('person\nada', 1, 'two'), true)
      for (const version of [0, 1, 3]) {
        for (const content of ['x', null]) {
          equal(await ledger.changeDocument('person\nada', version, content), false)
        }
      }
      equal(await ledger.document('person\nada'), { version: 2, content: 'two' })
    },

  'documents that are inserted together are written if there is none, and read if there is one':
    async ({ make }) => {
      const ledger = await make()
      await ledger.changeDocument('way\nada', 0, 'before')
      await ledger.changeDocument('way\nben', 0, 'gone')
      await ledger.changeDocument('way\nben', 1, null)
      const entry = (name: string, content: string | null) => ({ key: `way\n${name}`, content })
      const entries = ['ada', 'ben', 'cleo'].map((name) => entry(name, `new ${name}`))
      const all = [...entries, entry('dan', null)]
      equal(await ledger.insertDocuments(all), [
        { version: 1, content: 'before' },
        null,
        null,
        null,
      ])
      equal(await ledger.document('way\nada'), { version: 1, content: 'before' })
      equal(await ledger.document('way\nben'), { version: 3, content: 'new ben' })
      equal(await ledger.document('way\ncleo'), { version: 1, content: 'new cleo' })
      equal(await ledger.document('way\ndan'), undefined)
      equal(await ledger.insertDocuments(all), [
        { version: 1, content: 'before' },
        { version: 3, content: 'new ben' },
        { version: 1, content: 'new cleo' },
        null,
      ])
      equal(await ledger.insertDocuments([]), [])
    },

  'one of a hundred insertions at once of one document counts': async ({ make }) => {
    const ledger = await make()
    const contents = Array.from({ length: 100 }, (_, at) => `person ${at}`)
    const tries = contents.map((content) => ledger.insertDocuments([{ key: 'way\nada', content }]))
    const answers = (await Promise.all(tries)).map((documents) => documents?.[0] ?? null)
    equal(countOf(answers, null), 1)
    const content = contents[answers.indexOf(null)] ?? ''
    equal(await ledger.document('way\nada'), { version: 1, content })
  },

  'forgetting a name removes all of its documents, without a trace, and leaves longer names alone':
    async ({ make }) => {
      const ledger = await make()
      const gone = ['way\nada', 'person\nada', 'connection\nada\none', 'connection\nada\ntwo']
      const others = ['way\nada2', 'person\nada2', 'connection\nada2\none', 'way\nemail:ada']
      for (const key of [...gone, ...others]) await ledger.changeDocument(key, 0, key)
      await ledger.changeDocument('way\nada', 1, null)
      await ledger.forget('ada')
      for (const key of gone) equal(await ledger.document(key), undefined)
      for (const key of others) equal(await ledger.document(key), { version: 1, content: key })
      equal(await ledger.changeDocument('person\nada', 0, 'anew'), true)
    },

  'a document stays for years': async ({ make, now, pass }) => {
    const ledger = await make()
    await ledger.changeDocument('way\nada', 0, 'ada’s')
    await pass(3 * 365 * DAY)
    await ledger.consume('another row', now + 3 * 365 * DAY + 60)
    equal(await ledger.document('way\nada'), { version: 1, content: 'ada’s' })
  },

  'a deleted document is known for a day as deleted, so that no slower writer brings it back':
    async ({ make, pass }) => {
      const ledger = await make()
      await ledger.changeDocument('way\nada', 0, 'ada’s')
      equal(await ledger.changeDocument('way\nada', 1, null), true)
      equal(await ledger.document('way\nada'), { version: 2, content: null })
      for (const version of [0, 1]) {
        equal(await ledger.changeDocument('way\nada', version, 'late'), false)
      }
      await pass(DAY - 1)
      equal(await ledger.document('way\nada'), { version: 2, content: null })
      equal(await ledger.changeDocument('way\nada', 2, 'grace’s'), true)
      equal(await ledger.changeDocument('way\nada', 3, null), true)
      await pass(DAY)
      equal(await ledger.document('way\nada'), undefined)
      equal(await ledger.changeDocument('way\nada', 4, 'late'), false)
      equal(await ledger.changeDocument('way\nada', 0, 'new'), true)
    },

  'documents are told apart by their whole key': async ({ make }) => {
    const ledger = await make()
    const all = ['way\nada', 'person\nada', 'connection\nada\none', 'connection\nada\ntwo']
    const odd = ['way\n', 'way\n__proto__', '__proto__\nada', 'way\nada\n', 'way\nAda']
    for (const key of [...all, ...odd]) {
      equal(await ledger.document(key), undefined)
      equal(await ledger.changeDocument(key, 0, key), true)
    }
    for (const key of [...all, ...odd]) {
      equal(await ledger.document(key), { version: 1, content: key })
    }
  },

  'entering uses up a name, for one of fifty at once, and tells a document': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    const end = now + 600
    for (const name of keys) {
      const key = `way\n${name}`
      equal(await ledger.enter(`before ${name}`, end, key), { isFirst: true })
      await ledger.changeDocument(key, 0, name)
      const entered = Array.from({ length: 50 }, () => ledger.enter(`flow ${name}`, end, key))
      const first = (await Promise.all(entered)).filter(({ isFirst }) => isFirst)
      equal(first, [{ isFirst: true, document: { version: 1, content: name } }])
      equal((await ledger.enter(`before ${name}`, end, key)).isFirst, false)
    }
  },

  'entering returns the person that the document names, or leaves it to be read': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    let entered = 0
    const personOf = async (key: string) => {
      const { person } = await ledger.enter(`flow ${++entered}`, now + 600, key)
      return person
    }
    for (const name of keys) {
      const [key, owner] = [`way\n${name}`, `person\nof ${name}`]
      equal(await personOf(key), undefined)
      await ledger.changeDocument(key, 0, JSON.stringify({ owner: `of ${name}` }))
      const nobody = await personOf(key)
      if (nobody !== undefined) equal(nobody, null)
      await ledger.changeDocument(owner, 0, 'one')
      await ledger.changeDocument(owner, 1, 'two')
      const person = await personOf(key)
      if (person !== undefined) equal(person, { version: 2, content: 'two' })
      await ledger.changeDocument(key, 1, '{"owner":')
      equal(await personOf(key), undefined)
    }
  },

  'a mail that is redeemed comes with the document of its address': async ({ make, now }) => {
    const ledger = await make()
    const mailed = { link: 'link', code: 'code', sealed: 'sealed', expires: now + 600 }
    for (const key of keys) {
      await ledger.startVerification(key, mailed)
      await ledger.changeDocument(`way\n${key}`, 0, key)
      equal(await ledger.redeemVerification(key, { code: 'wrong' }), { state: 'wrong' })
      const document = { version: 1, content: key }
      const redeemed = { state: 'redeemed', sealed: 'sealed', document }
      equal(await ledger.redeemVerification(key, { link: 'link' }), redeemed)
    }
  },

  'forgiving returns the document of a way': async ({ make }) => {
    const ledger = await make()
    for (const way of keys) {
      equal((await ledger.forgive('key', ['hourly'], way)) ?? undefined, undefined)
      await ledger.changeDocument(`way\n${way}`, 0, way)
      equal(await ledger.forgive('key', ['hourly'], way), { version: 1, content: way })
    }
  },
}
